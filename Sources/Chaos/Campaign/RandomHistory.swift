import Device
import JSON
import Phone
import Ports

/// A history drawn from a seed: a sign-in, some refreshes, one event, two cold starts.
///
/// It is a scenario like any other, so that a finding can be kept as a file and run again. Which
/// kind of event it has follows from its round: rounds take their turns, so that a few
/// histories have all kinds.
struct RandomHistory {
  let name: String
  private let seed: UInt64
  private let phone: PhoneKind
  private let store: String
  private let kind: RandomEvent
  private let refreshCount: Int
  /// Whether half an hour passes before the last refresh, so that earlier saves are durable. Always
  /// between two refreshes: tokens live about an hour, so no phone has two saves in one write-back.
  private let waits: Bool

  init(number: Int, round: Int, seed: UInt64, phone: PhoneKind, store: String) {
    var draws = Draws(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    name = "random-\(seed)-\(number)"
    self.phone = phone
    self.store = store
    kind = RandomEvent.allCases[round % RandomEvent.allCases.count]
    refreshCount = 1 + draws.below(2)
    waits = draws.below(4) != 0 || refreshCount > 1
    self.seed = draws.next()
  }

  /// The history without a fault: its control, and the recording that says what can be hit.
  var quiet: JSONValue { json(.nothing) }

  /// The history with one event, placed where the recording says that it can be.
  ///
  /// - Parameter recording: What was reached in the step that a fault may hit.
  /// - Returns: A scenario's text, as a value.
  func disturbed(_ recording: Recording) -> JSONValue {
    var draws = Draws(seed: seed)
    return json(kind.drawn(&draws, recording, on: phone, generation: refreshCount + 1))
  }

  /// What a step of the app reached, and what was stored at the end.
  struct Recording {
    let operations: [OperationKind]
    let points: [TriggerExpression]
    /// The files that hold blobs, with their lengths.
    let blobFiles: [(path: String, bytes: Int)]
  }

  /// The step that a fault may hit: the last refresh.
  var hitStep: Int { before.count }

  /// What comes before the last refresh.
  private var before: [JSONValue] {
    var steps: [JSONValue] = [["do": "sign-in"], ["do": "store-secret", "name": "pin"]]
    if refreshCount > 1 { steps.append(["do": "refresh", "to": 2]) }
    if waits { steps.append(["do": "clock", "by": "+30min"]) }
    if kind == .restore { steps.append(["do": "snapshot", "name": "backup"]) }
    return steps
  }

  private func json(_ placed: RandomEvent.Placed) -> JSONValue {
    var refresh: [JSONObject.Member] = [
      .init(key: "do", value: "refresh"), .init(key: "to", value: .integer(refreshCount + 1)),
    ]
    var steps = before
    switch placed {
    case .nothing: steps.append(.object(JSONObject(refresh)))
    case .inRefresh(let members):
      refresh += members
      steps.append(.object(JSONObject(refresh)))
    case .afterwards(let between):
      steps += [.object(JSONObject(refresh)), ["fault": .list(between)]]
    }
    steps.append(["do": "launch", "times": 2])
    // A program of somebody else's is in no list of stores.
    let stores: [JSONValue] = store == ForeignApp.storeName ? [] : [.text(store)]
    return [
      "schema": .text(Scenario.schema), "title": .text(name), "phones": [.text(phone.rawValue)],
      "seed": .number(seed), "stores": .list(stores), "settings": kind.settings(on: phone),
      "story": "Drawn at random: saves, one event, and two cold starts.",
      "steps": .list(steps), "expect": ["good": ["*": "noFailure"]],
    ]
  }
}
