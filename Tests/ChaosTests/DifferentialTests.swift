import Chaos
import Foundation
import Linux
import Phone
import Testing

/// The same replay files on the simulated and on the mounted tier.
///
/// Each half of them is played in a process of its own, on one processor: a phone in memory shares
/// SQLite's generator with its process.
@Suite(
  .serialized, .timeLimit(.minutes(15)),
  .enabled(if: FileManager.default.fileExists(atPath: "/dev/fuse"), "needs /dev/fuse"))
struct `The two tiers` {
  static let seed: UInt64 = 1

  /// How many replay files are drawn; `LAB_TIER_REPLAYS` for more.
  static var count: Int {
    ProcessInfo.processInfo.environment["LAB_TIER_REPLAYS"].flatMap(Int.init) ?? 1_000
  }

  @Test func `give equal images, verdicts and operations for random replay files`() async {
    async let even: Void = play(0)
    async let odd: Void = play(1)
    _ = await (even, odd)
  }

  @Test func `are told apart when a service syncs once less on the mount`() async {
    await #expect(processExitsWith: .success) {
      do {
        try Pair.onLane(0) { pair in
          let ours = try pair.run(Self.save(with: "full"), on: pair.simulated)
          let theirs = try pair.run(Self.save(with: "normal"), on: pair.mounted)
          let differences = TierComparison.differences(simulated: ours, mounted: theirs)
          let text = differences.map { "\($0)" }.joined(separator: "\n")
          #expect(text.contains("/private/var/Keychains/keychain-2.db-wal, call "), "\(text)")
          #expect(text.contains(": simulated: sync, by the service; mounted: "), "\(text)")
        }
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  private static func save(with synchronous: String) throws -> Scenario {
    try Mounted.scenario(
      """
      settings: { keychainSynchronous: "\(synchronous)" },
      steps: [{ do: "sign-in" }, { do: "refresh", to: 2, fault: "kill@S1" }, { do: "launch" }],
      expect: { good: { "*": "noFailure" } },
      """)
  }

  private func play(_ half: Int) async {
    await #expect(processExitsWith: .success) { [half] in
      do {
        try Pair.onLane(half) { pair in try Self.compare(pair, half) }
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  private static func compare(_ pair: Pair, _ half: Int) throws {
    var faults = FaultTally()
    for number in stride(from: half, to: count, by: 2) {
      let replay = try RandomReplay(number: number, seed: seed)
      do {
        let (differences, run) = try pair.play(replay)
        faults += run.faults
        for difference in differences.prefix(3) {
          Issue.record("\(difference)\n\(replay.text)")
        }
      } catch let error as PhoneHostError {
        // An event that the phone refuses ends a case; it has to on both tiers.
        for runner in [pair.simulated, pair.mounted] {
          #expect(throws: PhoneHostError.self, "\(error)\n\(replay.text)") {
            try pair.run(replay.scenario, replay.phone, replay.store, on: runner)
          }
        }
      }
    }
    // A fault that never fires says nothing.
    #expect(faults.fired * 3 > faults.armed, "\(faults.fired) of \(faults.armed)")
  }
}

/// A phone on each tier.
private struct Pair {
  let simulated: ScenarioRunner
  let mounted: ScenarioRunner

  static func onLane(_ number: Int, _ body: (Pair) throws -> Void) throws {
    let processors = try Affinity.processors()
    try Affinity.pin(to: processors[number % processors.count])
    try Mounted.onLane { lane in
      let memory = try SimulatedPhone(PhoneSetup())
      try body(Pair(simulated: runner(on: memory), mounted: runner(on: lane.host)))
    }
  }

  private static func runner(on phone: any HostedPhone) -> ScenarioRunner {
    let runner = ScenarioRunner(on: phone, seed: 0)
    runner.tracesStorage = true
    return runner
  }

  func play(_ replay: RandomReplay) throws -> (differences: [TierDifference], run: CaseRun) {
    let ours = try run(replay.scenario, replay.phone, replay.store, on: simulated)
    let theirs = try run(replay.scenario, replay.phone, replay.store, on: mounted)
    return (TierComparison.differences(simulated: ours, mounted: theirs), theirs)
  }

  /// Runs the first case of a scenario.
  func run(
    _ scenario: Scenario, _ phone: PhoneKind = .ios, _ store: String = "recipe",
    on runner: ScenarioRunner
  ) throws -> CaseRun {
    try runner.run(
      try #require(scenario.cases.first),
      in: .init(scenario: scenario, phone: phone, store: store), isControl: false)
  }
}
