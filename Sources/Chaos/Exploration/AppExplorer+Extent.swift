import Device
import Linux

/// How much there is to do, told before the first crash.
extension AppExplorer {
  package struct Extent: Sendable {
    /// How many states crashes may leave at most, and at how many moments.
    package internal(set) var stateCount = 0
    package internal(set) var momentCount = 0
    /// How many calls are refused, each in a run of its own.
    package internal(set) var refusalCount = 0
    package internal(set) var flipCount = 0
    /// Whether more comes: in every order of calls, and in the recoveries from what went well.
    package internal(set) var isBeginning = false
    /// At most so long, as fast as the program was in its first runs. Equal states are recovered once, so
    /// it takes less.
    package internal(set) var seconds = 0
  }

  /// Plays what the exploration begins with, and tells how much there is to do.
  ///
  /// - Returns: What each history showed.
  /// - Throws: ``PhoneHostError/refused(_:)`` when calls are to overlap, and the program takes one
  ///   command at a time, or when it acknowledges no save.
  func survey(
    _ histories: [ExploredHistory]
  ) throws(PhoneHostError) -> [AppRecorder.Recording] {
    var extent = Extent()
    var recordings: [AppRecorder.Recording] = []
    let began = Clocks.monotonicNs
    for history in histories {
      let recording = try AppRecorder.recording(of: history, plan, on: host)
      guard !recording.takesTurns else { throw .refused(Self.turns) }
      recordings.append(recording)
    }
    if let first = recordings.first, !recordings.contains(where: \.hasSaved) {
      throw .refused(nothingSaved(first.sees))
    }
    let runNs = (Clocks.monotonicNs - began) / Int64(max(1, histories.count))
    for (history, recording) in zip(histories, recordings) {
      if plan.dangers.contains(.crashes) {
        extent.momentCount += recording.moments.count
        extent.stateCount += recording.moments.reduce(0) { $0 + stateCount(at: $1) }
        extent.isBeginning = plan.depth > 1 || !recording.order.isEmpty
      }
      if plan.dangers.contains(.errors) {
        let launched = Self.launched(history)
        let recording = try AppRecorder.recording(of: launched, plan, on: host)
        extent.refusalCount += refusals(in: recording).drawn.count
      }
      if plan.dangers.contains(.flips), let device = recording.moments.last?.device {
        extent.flipCount += flips(in: device).flips.count
      }
    }
    let recoveryNs = try recoveryNs(after: recordings)
    let recoveryCount = extent.stateCount + extent.refusalCount + extent.flipCount
    let allNs = Int64(recoveryCount) * recoveryNs + Int64(extent.refusalCount) * runNs
    extent.seconds = Int(allNs / 1_000_000_000)
    announce(extent)
    return recordings
  }

  /// How long it takes to recover what the last history has left.
  private func recoveryNs(after recordings: [AppRecorder.Recording]) throws(PhoneHostError) -> Int64
  {
    guard let last = recordings.last?.moments.last else { return 0 }
    let began = Clocks.monotonicNs
    _ = try recover(last.killed, last.knowledge, last.standing)
    return Clocks.monotonicNs - began
  }

  /// What `lab run` shows of such a program, step by step.
  private func nothingSaved(_ sees: String?) -> String {
    let app = plan.foreign.map { " \($0.shellWords)" } ?? ""
    return "no save was acknowledged, so there is nothing to lose: without a fault, the sign-in "
      + "ends with \(sees ?? "no session").  do: lab run torn-save\(app)"
  }

  private static let turns = """
    the program takes one command at a time, so its saves cannot overlap.  do: answer 'launch' with \
    "concurrent": true when it can take several (Documentation/Adapter.md), or leave out --writers \
    and --readers
    """

  private func stateCount(at moment: AppMoment) -> Int {
    let walk = CutWalk(moment.device, countMax: plan.cutCountMax, seed: plan.seed)
    return 1 + min(walk.choiceCount ?? plan.cutCountMax, plan.cutCountMax)
  }
}
