import Device
import JSON
import Phone
import Ports

/// A history drawn from a seed: a sign-in, some refreshes, one fault, two cold starts.
///
/// It is a scenario like any other, so that a finding can be kept as a file and run again.
struct RandomHistory {
  let name: String
  private let seed: UInt64
  private let phone: PhoneKind
  private let store: String
  private let refreshCount: Int
  /// Whether half an hour passes before the last refresh, so that earlier saves are durable. Always
  /// between two refreshes: tokens live about an hour, so no phone has two saves in one write-back.
  private let waits: Bool

  init(number: Int, seed: UInt64, phone: PhoneKind, store: String) {
    var draws = Draws(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    name = "random-\(seed)-\(number)"
    self.phone = phone
    self.store = store
    refreshCount = 1 + draws.below(2)
    waits = draws.below(4) != 0 || refreshCount > 1
    self.seed = draws.next()
  }

  /// The history without a fault: its control, and the recording that says what can be hit.
  var quiet: JSONValue { json(fault: nil) }

  /// The history with one fault, chosen among what the recording reached.
  ///
  /// - Parameter recording: What was reached in the step that the fault is to hit.
  /// - Returns: A scenario's text, as a value.
  func disturbed(_ recording: Recording) -> JSONValue {
    var draws = Draws(seed: seed)
    return json(fault: Fault.drawn(&draws, recording))
  }

  /// What a step of the app reached.
  struct Recording {
    let operationCount: Int
    let points: [TriggerExpression]
  }

  /// The step that a fault may hit: the last refresh.
  var hitStep: Int { 1 + (refreshCount - 1) + (waits ? 1 : 0) }

  private struct Fault {
    let text: String
    let values: [(String, String)]
    /// It happens between two steps, not in one.
    let isBetween: Bool

    static func drawn(_ draws: inout Draws, _ recording: Recording) -> Fault {
      let survivors = "seed:\(draws.next())"
      let moment: String
      if let point = recording.points.isEmpty || draws.below(3) > 0
        ? nil : recording.points[draws.below(recording.points.count)]
      {
        moment = point.text
      } else {
        moment = "op:\(1 + draws.below(max(1, recording.operationCount)))"
      }
      switch draws.below(6) {
      case 0, 1: return Fault(text: "kill@\(moment)", values: [], isBetween: false)
      case 2: return Fault(text: "kill-before@\(moment)", values: [], isBetween: false)
      case 3: return Fault(text: "power-cut", values: [("survivors", survivors)], isBetween: true)
      default:
        return Fault(
          text: "power-cut@\(moment)", values: [("survivors", survivors)], isBetween: false)
      }
    }

    var members: [JSONObject.Member] {
      [.init(key: "fault", value: .text(text))]
        + values.map { .init(key: $0.0, value: .text($0.1)) }
    }
  }

  private func json(fault: Fault?) -> JSONValue {
    var steps: [JSONValue] = [["do": "sign-in"]]
    for number in 0..<refreshCount {
      let isLast = number == refreshCount - 1
      if isLast, waits { steps.append(["do": "clock", "by": "+30min"]) }
      var members: [JSONObject.Member] = [
        .init(key: "do", value: "refresh"), .init(key: "to", value: .integer(number + 2)),
      ]
      if isLast, let fault, !fault.isBetween { members += fault.members }
      steps.append(.object(JSONObject(members)))
    }
    if let fault, fault.isBetween { steps.append(.object(JSONObject(fault.members))) }
    steps.append(["do": "launch", "times": 2])
    return [
      "schema": .text(Scenario.schema), "title": .text(name), "phones": [.text(phone.rawValue)],
      "seed": .number(seed), "stores": [.text(store)],
      "story": "Drawn at random: saves, one fault, and two cold starts.",
      "steps": .list(steps), "expect": ["good": ["*": "noFailure"]],
    ]
  }
}
