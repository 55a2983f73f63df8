import Device
import JSON
import Phone
import Session

/// A history whose moments are explored: steps of a scenario, some of which may be interrupted.
///
/// It is kept as a scenario file's steps, so that what was explored can be run.
struct ExploredHistory {
  private let plan: ExplorationPlan
  private let steps: [JSONValue]
  /// The steps in which something may happen.
  let openSteps: Set<Int>

  private static let pause: JSONValue = ["do": "clock", "by": "+55min"]

  /// What a plan begins with: a sign-in and two refreshes, each durable before the next one begins;
  /// or, with overlaps, several sign-ins at once, and several refreshes at once.
  static func beginnings(of plan: ExplorationPlan) -> [ExploredHistory] {
    let signIn: JSONValue = ["do": "sign-in"]
    guard plan.hasOverlaps else {
      return [
        ExploredHistory(
          plan,
          steps: [
            signIn, pause, ["do": "refresh", "to": 2], pause, ["do": "refresh", "to": 3],
          ], openSteps: [0, 2, 4])
      ]
    }
    return [
      ExploredHistory(plan, steps: [overlap(plan, to: 1)], openSteps: [0]),
      ExploredHistory(plan, steps: [signIn, pause, overlap(plan, to: 2)], openSteps: [2]),
    ]
  }

  private static func overlap(_ plan: ExplorationPlan, to generation: Int) -> JSONValue {
    [
      "do": "overlap", "to": .integer(generation), "writers": .integer(plan.writerCount),
      "readers": .integer(plan.readerCount),
    ]
  }

  private init(_ plan: ExplorationPlan, steps: [JSONValue], openSteps: Set<Int>) {
    self.plan = plan
    self.steps = steps
    self.openSteps = openSteps
  }

  /// Whether the order of calls is still to be decided in it.
  var isOpenOverlap: Bool {
    openSteps.contains { steps[$0]["do"]?.text == "overlap" && steps[$0]["order"] == nil }
  }

  /// The same with the order of its overlapping calls decided.
  func ordered(by choices: [Int]) -> ExploredHistory {
    let order = Overlap.text(of: choices)
    let ordered = steps.indices.map { index -> JSONValue in
      guard openSteps.contains(index), steps[index]["do"]?.text == "overlap" else {
        return steps[index]
      }
      return Self.step(steps[index], with: [.init(key: "order", value: .text(order))])
    }
    return ExploredHistory(plan, steps: ordered, openSteps: openSteps)
  }

  /// What a step does, for people.
  func title(ofStep index: Int) -> String {
    let generation = steps[index]["to"]?.integer ?? 1
    switch steps[index]["do"]?.text {
    case "refresh": return "refresh to \(generation)"
    case "overlap": return generation == 1 ? "sign-ins at once" : "refreshes at once"
    case "launch": return "cold start"
    case let word: return word ?? ""
    }
  }

  /// Where a moment lies on the map. Orders of overlapping calls differ in their operations, not in
  /// their points.
  func spot(_ moment: some ExploredMoment) -> CrashMap.Spot {
    var spot = CrashMap.Spot(step: moment.step, title: title(ofStep: moment.step))
    spot.point = moment.point
    if steps[moment.step]["do"]?.text == "overlap" {
      spot.points = moment.point.map { [$0] } ?? []
    } else {
      spot.operation = moment.operation
      spot.kind = moment.kind
      spot.half = moment.half
      spot.points = moment.points
    }
    return spot
  }

  /// The same up to a disturbance, and then a cold start, which may be interrupted again.
  func continued(
    after disturbance: Disturbance, at moment: some ExploredMoment
  ) -> ExploredHistory {
    let before = disturbed(by: disturbance, at: (moment.step, moment.operation))
    return ExploredHistory(plan, steps: before + [["do": "launch"]], openSteps: [before.count])
  }

  /// The same with a cold start at its end, in which something may happen as well.
  var launched: ExploredHistory {
    ExploredHistory(
      plan, steps: steps + [["do": "launch"]], openSteps: openSteps.union([steps.count]))
  }

  /// The same after a time in which everything became durable.
  var settled: ExploredHistory {
    ExploredHistory(plan, steps: steps + [Self.pause], openSteps: openSteps)
  }

  var stepCount: Int { steps.count }

  /// The steps as a scenario has them, without an end.
  var played: ScenarioCase? { recording(steps + [["do": "launch"]], dropping: 1) }

  /// The steps with a call refused in one of them.
  func refused(_ error: DeviceError, step: Int, operation: Int) -> ScenarioCase? {
    var all = steps
    all[step] = Self.step(all[step], with: Disturbance.callError(error).members(at: operation))
    return recording(all + [["do": "launch"]], dropping: 1)
  }

  private func recording(_ steps: [JSONValue], dropping count: Int) -> ScenarioCase? {
    let scenario = Self.scenario(text(of: steps, name: "recording"), name: "recording")
    return scenario.cases.first.map {
      ScenarioCase(parts: $0.parts, settings: $0.settings, steps: $0.steps.dropLast(count))
    }
  }

  /// The scenario file that shows a disturbance, and two cold starts after it.
  ///
  /// - Parameters:
  ///   - disturbance: What happens.
  ///   - place: In which step, and at which operation of it, or after it.
  ///   - goesOn: Whether the steps behind are done as well.
  ///   - name: Of the file.
  ///   - verdicts: What was shown.
  /// - Returns: The file.
  func replay(
    of disturbance: Disturbance, at place: (step: Int, operation: Int?), goesOn: Bool = false,
    name: String, verdicts: [Verdict]
  ) -> Exploration.Replay {
    let rest = goesOn ? steps[(place.step + 1)...] : []
    let all = disturbed(by: disturbance, at: place) + rest + [["do": "launch", "times": 2]]
    return Exploration.Replay(name: name, text: text(of: all, name: name), verdicts: verdicts)
  }

  private func disturbed(
    by disturbance: Disturbance, at place: (step: Int, operation: Int?)
  ) -> [JSONValue] {
    let members = disturbance.members(at: place.operation)
    guard place.operation != nil else {
      // A flipped bit is seen by a service that starts with it.
      let restart: [JSONValue] =
        disturbance.kind == .bitFlip ? [["do": "reboot"], ["do": "unlock"]] : []
      return steps[...place.step] + (members.isEmpty ? [] : [.object(JSONObject(members))])
        + restart
    }
    return steps[..<place.step] + [Self.step(steps[place.step], with: members)]
  }

  private static func step(
    _ step: JSONValue, with members: [JSONObject.Member]
  ) -> JSONValue {
    guard case .object(let object) = step else {
      preconditionFailure("a step of a history is an object")
    }
    return .object(JSONObject(object.members + members))
  }

  private func text(of steps: [JSONValue], name: String) -> String {
    var members: [JSONObject.Member] = [
      .init(key: "schema", value: .text(Scenario.schema)),
      .init(key: "title", value: .text(name)),
      .init(key: "phones", value: [.text(plan.phone.rawValue)]),
      .init(key: "seed", value: .number(plan.seed)),
      .init(key: "story", value: "Found by exploring every moment of its saves."),
      .init(key: "steps", value: .list(steps)),
      .init(key: "expect", value: ["good": ["*": "noFailure"]]),
    ]
    // A program of somebody else's is in no list of stores.
    if plan.foreign == nil {
      members.insert(.init(key: "stores", value: [.text(plan.store)]), at: 4)
    }
    if plan.settings != ScenarioSettings() {
      members.append(.init(key: "settings", value: plan.settings.json))
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
