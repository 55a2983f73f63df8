import Chaos
import Linux
import Mount
import Phone

/// Whole cases on a lane of the lab's own: a new phone, an app that is killed while it saves, and
/// the launches after it.
final class CaseWork {
  static let name = "whole case on one lane"

  private static let scenario = """
    {
      schema: "lab.scenario/1",
      title: "Killed between the halves",
      phones: ["ios"],
      story: "The app is killed between the two writes of a save.",
      steps: [
        { do: "sign-in" },
        { do: "refresh", to: 2, fault: "kill@K1" },
        { do: "launch" },
      ],
      expect: { good: { "*": ["keep|recover"] }, recipe: { "*": ["falseSignOut"] } },
    }
    """

  private let lane: Lane
  private let runner: ScenarioRunner
  private let scenario: Scenario

  init(_ programs: PhoneHost.Programs, seed: UInt64) throws {
    scenario = try ScenarioReader.read(Array(Self.scenario.utf8), name: "bench")
    lane = try Lane(programs: programs)
    runner = ScenarioRunner(on: lane.host, seed: seed)
  }

  /// Plays the case once, and counts what it asked of the mount.
  func play() throws -> (ns: Double, requestCount: Int) {
    let before = lane.host.mounted.requestCount
    let start = Clocks.monotonicNs
    for one in scenario.cases {
      let run = try runner.run(
        one, in: .init(scenario: scenario, phone: .ios, store: "recipe"), isControl: false)
      guard run.faults.fired == 1 else {
        throw BenchmarkError.phone("the fault of the case did not fire")
      }
    }
    return (
      ns: Double(Clocks.monotonicNs - start),
      requestCount: lane.host.mounted.requestCount - before
    )
  }

  func end() { lane.close() }
}
