import JSON
import Phone

/// A history whose crashes are explored: steps of a scenario, some of which may be interrupted.
///
/// It is kept as a scenario file's steps, so that what was explored can be run.
struct ExploredHistory {
  private let plan: ExplorationPlan
  private let steps: [JSONValue]
  /// The steps in which the app may end.
  let openSteps: Set<Int>

  /// A sign-in and two refreshes; each save is durable before the next one begins.
  init(_ plan: ExplorationPlan) {
    let pause: JSONValue = ["do": "clock", "by": "+55min"]
    self.init(
      plan,
      steps: [
        ["do": "sign-in"], pause, ["do": "refresh", "to": 2], pause, ["do": "refresh", "to": 3],
      ], openSteps: [0, 2, 4])
  }

  private init(_ plan: ExplorationPlan, steps: [JSONValue], openSteps: Set<Int>) {
    self.plan = plan
    self.steps = steps
    self.openSteps = openSteps
  }

  /// The same up to a crash, and then a cold start, which may be interrupted again.
  func continued(after crash: Crash, at moment: CrashMoment) -> ExploredHistory {
    let before = crashed(crash, at: moment)
    return ExploredHistory(plan, steps: before + [["do": "launch"]], openSteps: [before.count])
  }

  /// The whole history, without another crash.
  var recording: Scenario {
    Self.scenario(text(of: steps + [["do": "launch"]], name: "recording"), name: "recording")
  }

  /// The scenario file that shows a crash, and two cold starts after it.
  func replay(
    of crash: Crash, at moment: CrashMoment, name: String, verdicts: [Verdict]
  ) -> Exploration.Replay {
    let steps = crashed(crash, at: moment) + [["do": "launch", "times": 2]]
    return Exploration.Replay(name: name, text: text(of: steps, name: name), verdicts: verdicts)
  }

  private func crashed(_ crash: Crash, at moment: CrashMoment) -> [JSONValue] {
    let members = crash.members(at: moment.operation)
    guard moment.operation != nil else {
      return steps[...moment.step] + [.object(JSONObject(members))]
    }
    guard case .object(let step) = steps[moment.step] else {
      preconditionFailure("a step of a history is an object")
    }
    return steps[..<moment.step] + [.object(JSONObject(step.members + members))]
  }

  private func text(of steps: [JSONValue], name: String) -> String {
    var members: [JSONObject.Member] = [
      .init(key: "schema", value: .text(Scenario.schema)),
      .init(key: "title", value: .text(name)),
      .init(key: "phones", value: [.text(plan.phone.rawValue)]),
      .init(key: "seed", value: .number(plan.seed)),
      .init(key: "stores", value: [.text(plan.store)]),
      .init(key: "story", value: "Found by exploring every moment of three saves."),
      .init(key: "steps", value: .list(steps)),
      .init(key: "expect", value: ["good": ["*": "noFailure"]]),
    ]
    if let profile = plan.profile {
      members.append(.init(key: "settings", value: ["profile": .text(profile)]))
    }
    return JSONWriter.text(of: .object(JSONObject(members)), .pretty)
  }

  /// Reads what a history wrote.
  static func scenario(_ text: String, name: String) -> Scenario {
    do {
      return try ScenarioReader.read(Array(text.utf8), name: name)
    } catch {
      preconditionFailure("an explored history is a valid scenario: \(error)")
    }
  }
}
