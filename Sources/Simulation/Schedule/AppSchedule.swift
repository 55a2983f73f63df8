package import Ports

/// One process with a scheduler of its own, in virtual time that goes on while it is told to.
///
/// Whoever drives it says what time it is. What was due until then is done first.
package final class AppSchedule {
  package let process: SimulatedProcess
  private let simulator: Simulator
  private let startMs: Int64

  /// - Parameters:
  ///   - name: The process's, for messages.
  ///   - startMs: What time it is, in milliseconds since 1970.
  ///   - isAlive: Whether its device has not ended it.
  package init(_ name: String, startMs: Int64, isAlive: @escaping () -> Bool = { true }) {
    self.startMs = startMs
    simulator = Simulator(
      Choices(GivenOrder([])), startMs: startMs, interleaving: .beforeCalls)
    process = simulator.process(name, isAlive: isAlive)
  }

  /// The true time.
  package var clock: any WallClock { simulator.clock }
  package var nowMs: Int64 { simulator.clock.nowMs }

  /// Does something in the process, and lets it settle.
  ///
  /// - Parameters:
  ///   - nowMs: What time it is; time does not go back.
  ///   - patience: How long to wait for it.
  ///   - settling: How long to wait after it.
  ///   - work: What to do.
  /// - Returns: `nil` when it was done; else why not: it hangs, or would take longer.
  package func perform(
    atMs nowMs: Int64, patience: Duration, settling: Duration, _ work: @escaping () async -> Void
  ) -> String? {
    if let trouble = run(until: .milliseconds(nowMs - startMs)) { return trouble }
    var isDone = false
    process.spawn("command") {
      await work()
      isDone = true
    }
    let limit = simulator.clock.elapsed + patience
    while true {
      if let trouble = run(until: simulator.clock.elapsed) { return trouble }
      guard !isDone, !process.isGone, simulator.clock.elapsed < limit else { break }
      if let trouble = run(until: simulator.clock.elapsed + .milliseconds(20)) { return trouble }
    }
    guard isDone, !process.isGone else { return "\(Outcome.timeUp)" }
    return run(until: simulator.clock.elapsed + settling)
  }

  /// - Returns: What went wrong, if anything did.
  private func run(until deadline: Duration) -> String? {
    let deadline = max(deadline, simulator.clock.elapsed)
    let outcome = simulator.run(until: deadline)
    switch outcome {
    case .timeUp: return nil
    // Nothing is left that would move the clock.
    case .finished, .undead:
      simulator.pass(to: deadline)
      return nil
    case .hang, .livelock, .diverged: return "\(outcome)"
    }
  }
}
