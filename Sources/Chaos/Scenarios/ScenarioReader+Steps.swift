import JSON
import Phone
import Ports
import Session

/// Steps: their words, and what each needs.
extension ScenarioReader {
  /// The words after `do:`, with what they mean.
  package static let stepWords: [(name: String, meaning: String)] =
    [
      ("sign-in", "the app stores generation 1 of a session"),
      (
        "refresh",
        "the app reads, and stores the generation that `to` names; with its client it has the server "
          + "give a new session, without `to`"
      ),
      (
        "overlap",
        "`writers` (2) store the generation that `to` names, `readers` (0) read, all at once; each "
          + "digit of `order` says who goes on where several wait, 0 the one that waits longest"
      ),
      (
        "read",
        "the running app reads the session, with its caches; with its client `times` in intervals of "
          + "`every`"
      ),
      ("sign-out", "the app removes its session"),
      (
        "launch",
        "a cold start that reads the session; `times` of them. `how: background` is one that nobody "
          + "sees, `callback` one by the address that the sign-in page leads back to, "
          + "`foreign-callback` by that of another phone (client only)"
      ),
      (
        "background",
        "the person leaves the app, which goes on in the background; a store of the lab's does "
          + "nothing then, a program of your own and an app with its client may"
      ),
      ("foreground", "the person comes back to it, and with its client looks at it"),
      (
        "open-url",
        "another app opens an address of it, `url`, of which a program of your own hears"
      ),
      ("set-clock", "the phone's clock is set `ahead` of the true time (client only)"),
      ("clock", "time passes, `by` so much; after half a minute all that was stored is durable"),
      ("store-secret", "the app stores a text of its own in SecureStore, under a `name`"),
      ("update", "another version of app and libraries: `settings` that hold from here on"),
      ("snapshot", "a backup under a `name`, of a `half` (key, blob or both)"),
      ("restore", "the backup `name` comes back, its `half`, onto the `device` same or new"),
    ]
    + systemKinds.map { ($0.rawValue, $0.summary) }

  private static let clockStepMaxMs: Int64 = 3650 * 86_400_000

  /// The events that are steps of their own; what only a fault does to a phone is none.
  private static let systemKinds = FaultKind.allCases.filter {
    $0.group == .system && $0 != .keychainReset && $0 != .keystoreLoss
  }

  func steps(
    _ node: JSONNode, _ variations: [Scenario.Variation]
  ) throws(JSONError) -> [Scenario.Step] {
    try node.list { step throws(JSONError) in try self.step(step, variations) }
  }

  func step(
    _ node: JSONNode, _ variations: [Scenario.Variation]
  ) throws(JSONError) -> Scenario.Step {
    var object = try node.object("a step")
    let line = Int(node.range.line)
    if let faultNode = object.optional("fault"), case .list = faultNode.content {
      let steps = try self.steps(faultNode, variations)
      try object.finish()
      return Scenario.Step(.disturbance(steps), line: line)
    }
    guard let word = object.optional("do") else {
      guard let fault = try fault(&object) else {
        throw node.error("a step needs 'do' or 'fault'")
      }
      guard fault.trigger == nil else {
        throw node.error("a fault that waits for a moment belongs to a step with 'do'")
      }
      try object.finish()
      return Scenario.Step(
        .disturbance([Scenario.Step(.happen(fault), line: line)]), line: line)
    }
    let action = try self.action(word, &object)
    let variation = try object.optional("vary").map { name throws(JSONError) in
      try name.word("variation", of: variations.map(\.name))
    }
    let fault = try fault(&object, of: action)
    try object.finish()
    return Scenario.Step(action, fault: fault, variation: variation, line: line)
  }

  private func action(
    _ word: JSONNode, _ object: inout ObjectReader
  ) throws(JSONError) -> Scenario.Action {
    switch try word.word("step", of: Self.stepWords.map(\.name)) {
    case "sign-in": return .signIn
    case "refresh":
      return .refresh(to: try object.optional("to")?.integer(in: 2...1000))
    case "overlap": return .overlap(try overlap(word, &object))
    case "read":
      return .read(
        times: try object.optional("times")?.integer(in: 1...1000) ?? 1,
        everyMs: try object.optional("every").map(duration) ?? 0)
    case "sign-out": return .signOut
    case "launch":
      return .launch(
        times: try object.optional("times")?.integer(in: 1...10) ?? 1,
        try object.optional("how")?.word("launch", as: Scenario.LaunchWay.self) ?? .icon)
    case "background": return .become(.background)
    case "foreground": return .become(.active)
    case "open-url":
      return .openURL(try url(needed("url", #""app://callback""#, of: word, &object)))
    case "set-clock":
      return .setClock(aheadMs: try duration(needed("ahead", #""1h""#, of: word, &object)))
    case "clock": return .clock(byMs: try duration(needed("by", #""+55min""#, of: word, &object)))
    case "store-secret":
      return .storeSecret(name: try needed("name", #""pin""#, of: word, &object).text())
    case "update":
      let node = try needed("settings", #"{ asyncStorage: "v3" }"#, of: word, &object)
      if let profile = try node.members().first(where: { $0.key == ScenarioSettings.profile.name })
      {
        throw profile.node.error(
          "an update does not change the device; set its profile in 'settings'")
      }
      return .update(try settings(node))
    case "snapshot":
      let name = try needed("name", #""one""#, of: word, &object).text()
      return .snapshot(name: name, half: try half(&object))
    case "restore":
      let device = try needed("device", #""new""#, of: word, &object)
        .word("device", of: ["same", "new"])
      return .restore(
        name: try needed("name", #""one""#, of: word, &object).text(), half: try half(&object),
        onNewDevice: device == "new")
    default:
      return .happen(try FaultRequest(try word.text(), word, &object))
    }
  }

  /// The value under a key that a step cannot do without.
  private func needed(
    _ key: String, _ example: String, of word: JSONNode, _ object: inout ObjectReader
  ) throws(JSONError) -> JSONNode {
    do throws(JSONError) {
      return try object.required(key)
    } catch {
      guard case .missingKey = error.problem, let step = word.value.text else { throw error }
      let rule = "the step '\(step)' has no '\(key)', such as \(key): \(example)"
      throw JSONError(.rule(rule, allowed: nil), at: error.range)
    }
  }

  private func duration(_ node: JSONNode) throws(JSONError) -> Int64 {
    guard let milliseconds = Quantity.milliseconds(try node.text()),
      (-Self.clockStepMaxMs...Self.clockStepMaxMs).contains(milliseconds)
    else {
      throw node.error("no duration up to 3650d, such as +55min")
    }
    return milliseconds
  }

  private func url(_ node: JSONNode) throws(JSONError) -> String {
    guard case .success(let url)? = BrowserResult(word: try node.text()) else {
      throw node.error("no address with a scheme, such as app://callback")
    }
    return url
  }

  private func overlap(
    _ word: JSONNode, _ object: inout ObjectReader
  ) throws(JSONError) -> Overlap {
    let generation = try needed("to", "2", of: word, &object).integer(in: 1...1000)
    let writers = try object.optional("writers")?.integer(in: 1...Overlap.countMax) ?? 2
    let readers = try object.optional("readers")?.integer(in: 0...Overlap.countMax) ?? 0
    var order: [Int] = []
    if let node = object.optional("order") {
      guard let digits = Overlap.order(try node.text()) else {
        throw node.error("only digits from 0 to \(2 * Overlap.countMax - 1), one for each choice")
      }
      order = digits
    }
    return Overlap(
      generation: generation, writerCount: writers, readerCount: readers, order: order)
  }

  private func half(_ object: inout ObjectReader) throws(JSONError) -> Scenario.HalfChoice {
    try object.optional("half")?.word("half") ?? .both
  }

  /// Reads the fault of a step or of an alternative. It may be an object of its own, and must be where
  /// the step has a value of the same name.
  func fault(
    _ object: inout ObjectReader, of action: Scenario.Action? = nil
  ) throws(JSONError) -> FaultRequest? {
    guard let node = object.optional("fault") else { return nil }
    if case .object = node.content {
      var own = try node.object("a fault")
      let fault = try self.fault(&own)
      guard let fault else {
        throw node.error("a fault has no 'fault', such as fault: \"kill@K1\"")
      }
      try own.finish()
      return fault
    }
    let text = try node.text()
    let word = String(text.prefix { $0 != "@" })
    if let kind = FaultKind(rawValue: word), let key = action?.key(sharedWith: kind) {
      throw node.error(
        "'\(key)' is of the step here, and '\(word)' takes one, too",
        allowed: "an object for the fault: fault: { fault: \"\(text)\", \(key): ... }")
    }
    return try FaultRequest(text, node, &object)
  }
}
