import Chaos
import Device
import JSON
import Phone
import Session

/// A replay file drawn from a seed: a phone with some settings, a session, one or two faults of any
/// kind that does not depend on what a kernel has cached, and a cold start.
///
/// Left out: faults of reads, look-ups and opens, many of which a kernel answers by itself; lies about
/// changes, for it goes on showing what it was told until it has forgotten that; `disk-full`, for it
/// gives back the room of a removed file when it likes; and `hold`, which waits for somebody.
struct RandomReplay {
  let name: String
  let scenario: Scenario
  let phone: PhoneKind
  let store: String
  let text: String

  init(number: Int, seed: UInt64) throws {
    var draws = Draws(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    phone = PhoneKind.allCases[number % PhoneKind.allCases.count]
    store = draws.one(of: StoreKind.all.map(\.name))
    name = "replay-\(seed)-\(number)"
    let file: JSONValue = [
      "schema": .text(Scenario.schema), "title": .text(name), "phones": [.text(phone.rawValue)],
      "seed": .number(draws.next()), "stores": [.text(store)], "story": "Drawn at random.",
      "settings": Self.settings(of: phone, &draws), "steps": .list(Self.steps(phone, &draws)),
      "expect": ["good": ["*": "noFailure"]],
    ]
    text = JSONWriter.text(of: file, .pretty)
    scenario = try ScenarioReader.read(Array(text.utf8), name: name)
  }

  private static func settings(of phone: PhoneKind, _ draws: inout Draws) -> JSONValue {
    var chosen: [String: String] = [
      "profile": draws.one(of: ["phone", "phone"] + PersistenceProfile.all.map(\.name)),
      "size": draws.one(of: ["standard", "compact"]),
    ]
    let knobs = phone.knobs.map(\.name)
    for key in ScenarioSettings.phoneKeys where knobs.contains(key.option) && draws.below(4) == 0 {
      chosen[key.name] = draws.one(of: key.values)
    }
    return .object(
      JSONObject(
        chosen.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: .text($0.value)) }))
  }

  private static func steps(_ phone: PhoneKind, _ draws: inout Draws) -> [JSONValue] {
    var steps: [[String: String]] = [["do": "sign-in"]]
    if draws.below(4) == 0 { steps.append(["do": "store-secret", "name": "pin"]) }
    for generation in 2..<3 + draws.below(2) {
      if draws.below(3) != 0 {
        steps.append(["do": "clock", "by": draws.one(of: ["+30min", "+10s"])])
      }
      var step = draws.one(of: [
        ["do": "refresh", "to": "\(generation)"], ["do": "refresh", "to": "\(generation)"],
        ["do": "launch"], ["do": "sign-out"],
      ])
      switch draws.below(6) {
      case 0: steps += event(of: phone, &draws)
      case 1: steps.append(powerCut(&draws))
      default: step.merge(fault(&draws)) { $1 }
      }
      steps.append(step)
    }
    steps.append(["do": "launch"])
    return steps.map { step in
      .object(
        JSONObject(
          step.sorted { $0.key < $1.key }.map { key, text in
            .init(key: key, value: key == "to" ? .integer(Int(text) ?? 0) : .text(text))
          }))
    }
  }

  private static func event(of phone: PhoneKind, _ draws: inout Draws) -> [[String: String]] {
    let loss = phone == .ios ? "keychain-reset" : "keystore-loss"
    return draws.one(of: [
      [["fault": loss]], [["do": phone == .ios ? "prewarm" : "clear-data"]], [["do": "lock"]],
      [["do": "reboot"], ["do": "unlock"]], [["do": "biometric-change"]],
    ])
  }

  private static func powerCut(_ draws: inout Draws) -> [String: String] {
    let survivors = draws.one(of: ["none", "all", "issued", "seed:\(draws.next())"])
    return ["fault": "power-cut", "survivors": survivors]
  }

  private static func fault(_ draws: inout Draws) -> [String: String] {
    let call = draws.one(of: ["write", "write", "sync", "rename", "unlink", "truncate", "create"])
    let moment = draws.one(of: [
      "op:\(1 + draws.below(30))", "op:\(1 + draws.below(30))",
      draws.one(of: ["S0", "K0", "K1", "B0", "B1", "M1", "S1", "E1", "R0", "R1"]),
      "\(call):*#\(1 + draws.below(4))",
    ])
    var fault = powerCut(&draws)
    switch draws.below(8) {
    case 0, 1: fault = ["fault": "kill", "at": moment]
    case 2: fault = ["fault": "kill-before", "at": moment]
    case 3, 4: fault["at"] = moment
    case 5:
      fault["fault"] = "torn-write"
      fault["sectors"] = "\(1 + draws.below(8))"
      fault["at"] = "write:*#\(1 + draws.below(6))"
    case 6:
      fault = [
        "fault": "call-error", "at": "\(call):*#\(1 + draws.below(4))",
        "code": draws.one(of: ["EIO", call == "sync" || call == "write" ? "EDQUOT" : "EROFS"]),
      ]
    default: fault = ["fault": "lie", "at": "\(draws.one(of: ["sync", "syncdir"])):*#1"]
    }
    return fault
  }
}

extension Draws {
  fileprivate mutating func one<Choice>(of choices: [Choice]) -> Choice {
    choices[below(choices.count)]
  }
}
