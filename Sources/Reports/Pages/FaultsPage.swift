import Chaos
import Phone
import Ports

extension ReferencePage {
  /// The catalogue of faults: what each does and leaves, on which phone, why it can happen, how to arm it.
  static var faults: ReferencePage {
    var page = ReferencePage(
      "Faults.md", title: "Fault catalogue",
      intro: [
        "The words after `lab inject`, and after `fault:` in a [scenario](Scenarios.md). `WHEN` is one of",
        "the [moments](Points.md). A half is where a part of the session lies: the *key* in the keychain or",
        "behind the Keystore, the *blob* in plain storage. *Takes* names the halves that are gone for good, *leaves* the others;",
        "`lab inject` prints what it really removed and what remains.",
      ])
    for group in FaultKind.Group.allCases {
      page.section(title(of: group))
      page.lines.append(intro(of: group))
      for kind in FaultKind.allCases where kind.group == group { page.add(kind) }
    }
    return page
  }

  private mutating func add(_ kind: FaultKind) {
    section(kind.rawValue, level: 3)
    lines += [Self.sentence(kind.summary), ""]
    let rule = kind.rule.split(separator: ":", maxSplits: 1).map(String.init)
    facts(
      [("type", Self.typed(kind))] + Self.values(of: kind) + Self.effect(of: kind)
        + [
          ("can happen", "*\(rule[0])*:" + rule[1]),
          ("source", kind.source ?? "an assumption of the lab"),
        ])
  }

  private static func title(of group: FaultKind.Group) -> String {
    switch group {
    case .process: "A process ends"
    case .power: "The power fails"
    case .call: "A file call goes wrong"
    case .data: "Stored bytes change"
    case .system: "The operating system does something"
    case .request: "A request to the auth server goes wrong"
    case .server: "Something happens on the auth server"
    }
  }

  private static func intro(of group: FaultKind.Group) -> String {
    switch group {
    case .process:
      "Takes no half: what was written stays, also what is not durable. What the app kept in memory "
        + "is gone."
    case .power:
      "Takes of both halves what no sync has made durable, as `--survivors` chooses among what the "
        + "[persistence profiles](Profiles.md) allow."
    case .call:
      "Takes nothing that is stored. The call itself fails, is cut short, comes late, or does not "
        + "what it says."
    case .data:
      "Takes the half that the file belongs to, as far as a verdict is concerned: its bytes are not "
        + "what was written. No call of the app does this, so a finding says *synthetic*."
    case .system:
      "What the system does to this phone is worked out from the phone's model; a settings table is "
        + "in [Phones, stores and settings](Phones.md)."
    case .request:
      "Happens to no phone, but to a server: that of a scenario whose app has its client, or `lab "
        + "serve`. Takes no half. Without `--at` it waits for the next request that fits."
    case .server:
      "Happens to no phone, but on a server, at once; with `--at`, `--path` or `--method` at a "
        + "request. Takes no half: the session may end on the server."
    }
  }

  private static func typed(_ kind: FaultKind) -> String {
    let values = kind.parameters.filter { kind.fallback($0) == nil }
      .map { " --\($0.rawValue) \($0 == .by ? "TIME" : $0.rawValue.uppercased())" }.joined()
    let now = "`lab inject \(kind.rawValue)\(values)`"
    let armed = "`lab inject \(kind.rawValue)@\(kind.exampleTrigger)\(values)`"
    return kind.canHappenNow ? "\(now) at once, \(armed) at a moment" : "\(armed); needs a moment"
  }

  private static func values(of kind: FaultKind) -> [(word: String, text: String)] {
    kind.parameters.map { parameter in
      let fallback = kind.fallback(parameter).map { $0 == "*" ? "" : "; default `\($0)`" }
      return (
        "`--\(parameter.rawValue)`", parameter.summary + (fallback ?? "; must be given")
      )
    }
  }

  private static func words(of halves: [Half]) -> String {
    halves.isEmpty ? "nothing" : halves.map(\.rawValue).joined(separator: " and ")
  }

  /// What an event does to each phone as it comes; empty for what happens to all phones alike.
  private static func effect(of kind: FaultKind) -> [(word: String, text: String)] {
    guard kind.group == .system, let request = try? FaultRequest(kind.rawValue),
      let event = request.event
    else { return [] }
    return PhoneKind.allCases.map { phone in
      do {
        var model = try phone.phone([:])
        let entropy = SeededEntropy(seed: 1, stream: "page")
        // Only an app that is gone can come back.
        if event == .install { _ = try model.plan(for: .uninstall, entropy: entropy) }
        let plan = try model.plan(for: event, entropy: entropy)
        let takes = words(of: Half.allCases.filter(plan.takes.contains))
        let leaves = words(of: Half.allCases.filter { !plan.takes.contains($0) })
        return (phone.rawValue, "takes \(takes), leaves \(leaves): \(plan.reason)")
      } catch {
        return (phone.rawValue, "\(error)")
      }
    }
  }
}
