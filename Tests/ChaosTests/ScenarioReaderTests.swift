import Chaos
import JSON
import Phone
import Testing

@Suite struct `Reading a scenario` {
  private static let whole = """
    { schema: "lab.scenario/1", title: "T", phones: ["ios"], story: "S.",
      steps: [ { do: "sign-in" }, { do: "refresh", to: 2, fault: "kill@each" }, { do: "launch" } ],
      expect: { good: { "K0": ["recover"], "*": ["keep|recover"] } } }
    """

  private func read(_ text: String) throws(JSONError) -> Scenario {
    try ScenarioReader.read(Array(text.utf8), name: "t")
  }

  @Test(arguments: ["clock\", by: \"8d", "read\", times: 1000, every: \"1d"])
  func `bounds the time that an app with its client is followed through`(step: String) throws {
    let text = Self.whole
      .replacing("story:", with: "settings: { client: \"seed\" }, story:")
      .replacing("{ do: \"launch\" }", with: "{ do: \"\(step)\" }, { do: \"launch\" }")
    #expect(text.contains(step))
    let error = #expect(throws: JSONError.self) { try read(text) }
    #expect(error?.description.contains("longer than 7d") == true)
  }

  @Test func `takes a whole file`() throws {
    let scenario = try read(Self.whole)
    #expect(scenario.steps.count == 3)
    #expect(scenario.cases.count == 1)
    #expect(scenario.cases.first?.spreadStep == 1)
  }

  @Test(arguments: [
    ("steps:", "stepz:", "nearest: steps"),
    ("story: \"", "story: \"\\u001b]0;pwned\\u0007", "it is shown as one line"),
    ("title: \"", "title: \"\\u202e", "it is shown as one line"),
    ("title: \"", "title: \"" + String(repeating: "long ", count: 200), "up to 500 characters"),
    ("\"refresh\"", "\"refrsh\"", "nearest: refresh"),
    ("\"recover\"]", "\"recovr\"]", "nearest: recover"),
    ("keep|recover", "keep|recovr", "nearest: recover"),
    ("kill@each", "kil@each", "nearest: kill"),
    ("\"ios\"", "\"iso\"", "nearest: ios"),
    ("to: 2", "to: \"2\"", "expected whole number, found text"),
    ("to: 2", "to: 1", "2 to 1000"),
    ("to: 2", "to: 2, to: 3", "key 'to' again"),
    ("to: 2,", "", "needs 'to'"),
    ("\"launch\"", "\"launch\", how: \"background\"", "needs an app with its client"),
    ("\"launch\"", "\"launch\", how: \"calback\"", "nearest: callback"),
    ("{ do: \"launch\" }", "{ do: \"foreground\" }", "no step reads the session"),
    ("{ do: \"launch\" }", "{ do: \"open-url\", url: \"home\" }", "no address with a scheme"),
    ("kill@each", "lose-reply", "needs an app with its client"),
    ("good:", "goood:", "nearest: good"),
    ("lab.scenario/1", "lab.scenario/2", "another format"),
    ("{ do: \"launch\" }", "{ }", "needs 'do' or 'fault'"),
    ("{ do: \"launch\" }", "{ fault: \"kill@K1\" }", "belongs to a step with 'do'"),
  ])
  func `names the place and the nearest word of a slip`(
    old: String, new: String, words: String
  ) throws {
    let text = Self.whole.replacing(old, with: new)
    #expect(text != Self.whole)
    #expect { try read(text) } throws: { error in
      guard let error = error as? JSONError else { return false }
      let message = Diagnostic(error, file: "t.json5", source: text).text
      return message.hasPrefix("t.json5:") && message.contains(words)
    }
  }

  /// One with an app and its client, on both phones.
  private static func client(_ more: String, steps: String = "") -> String {
    """
    { schema: "lab.scenario/1", title: "T", phones: ["ios"], story: "S.",
      \(more)
      steps: [ { do: "sign-in" }, \(steps) { do: "launch" } ],
      expect: { good: { "*": ["keep"] } } }
    """
  }

  @Test(arguments: [
    (
      "settings: { rotation: \"strict\" },", "", 2, 15, "the reference app has no server",
      "allowed: it with client: seed or hardened"
    ),
    (
      "vary: { client: [\"reference\", \"seed\"], refreshTokens: [\"v1\", \"v2\"] },", "", 2, 42,
      "cannot use 'refreshTokens'", "client: seed or hardened"
    ),
    ("settings: { backend: \"better-auth\" },", "", 2, 15, "'backend'", "client: seed or hardened"),
    (
      "settings: { client: \"seed\", backend: \"better-auth\", rotation: \"strict\" },", "", 2, 55,
      "the tokens of better-auth are not refreshed", "backend: gotrue"
    ),
    (
      "settings: { client: \"seed\", jar: \"hardened\" },", "", 2, 31, "keeps cookies in one",
      "stores: [\"chunked\"]"
    ),
    (
      "stores: [\"recipe\"], vary: { jar: [\"hardened\"] },", "", 2, 31, "keeps cookies in one",
      "backend: better-auth"
    ),
    (
      "settings: { client: \"seed\", size: \"huge\" },", "", 2, 31, "the server makes the session",
      "client: reference"
    ),
    (
      "settings: { rkstorageJournal: \"wal\" },", "", 2, 15, "no phone of this scenario has it",
      "phones: android"
    ),
    (
      "settings: { client: \"seed\" },",
      "{ do: \"update\", settings: { rotation: \"strict\" } },", 3, 59, "not its server",
      "'rotation' in 'settings' or 'vary'"
    ),
    ("phones: [],", "", 2, 11, "'phones' names none", "ios android"),
    ("vary: { client: [] },", "", 2, 19, "'client' has no alternative", ""),
    ("vary: { hit: {} },", "", 2, 16, "'hit' has no alternative", ""),
    (
      "vary: { hit: { a: { fault: \"kill@K0\" } } },", "", 2, 11, "no step has the faults of 'hit'",
      "a step with vary: \"hit\""
    ),
  ])
  func `refuses what a case cannot use, with its place and the reason`(
    more: String, steps: String, line: Int, column: Int, reason: String, allowed: String
  ) throws {
    var text = Self.client(more, steps: steps)
    if more.contains("phones") { text.replace(" phones: [\"ios\"],", with: "", maxReplacements: 1) }
    let error = try #require(throws: JSONError.self) { try read(text) }
    #expect("\(error)".hasPrefix("\(line):\(column): "), "\(error)")
    #expect("\(error)".contains(reason), "\(error)")
    let shown = Diagnostic(error, file: "t", source: text).text.replacing(/\n *\|? */, with: " ")
    #expect(shown.contains(allowed), "\(shown)")
  }

  @Test(arguments: [
    "settings: { client: \"seed\", rotation: \"strict\", refreshTokens: \"v2\" },",
    "settings: { client: \"seed\", backend: \"better-auth\", jar: \"hardened\" },",
    "stores: [\"chunked\"], vary: { jar: [\"expo-1.7.1\", \"hardened\"] },",
    "settings: { size: \"huge\", sizeRule: \"off\" },",
  ])
  func `takes what each case can use`(more: String) throws {
    _ = try read(Self.client(more))
  }

  @Test func `refuses rows that leave no case to run`() throws {
    let text = Self.client("")
    for (rows, isRefused) in [
      (#""*": null"#, true), (#""*": null }, recipe: { "*": ["keep"]"#, false),
      (#""*": ["keep"] }, recipe: { "*": null"#, false),
    ] {
      let changed = text.replacing(#""*": ["keep"]"#, with: rows)
      if isRefused {
        let error = try #require(throws: JSONError.self) { try read(changed) }
        #expect("\(error)".hasSuffix("no case would run: every row that a store comes to is null"))
      } else {
        _ = try read(changed)
      }
    }
    let only = text.replacing("story:", with: #"stores: ["recipe"], story:"#)
    let none = only.replacing(#""*": ["keep"]"#, with: #""*": ["keep"] }, recipe: { "*": null"#)
    #expect(throws: JSONError.self) { try read(none) }
  }

  @Test(arguments: [
    ("set-clock", "ahead: \"1h\"", "settings: { client: \"seed\" },"),
    ("clock", "by: \"+55min\"", ""), ("store-secret", "name: \"pin\"", ""),
    ("update", "settings: { asyncStorage: \"v3\" }", ""), ("overlap", "to: 2", ""),
    ("snapshot", "name: \"one\"", ""), ("restore", "device: \"new\"", ""),
  ])
  func `names a step, the key that it lacks, and an example`(
    step: String, example: String, more: String
  ) throws {
    let text = Self.client(more, steps: "{ do: \"\(step)\" },")
    let error = try #require(throws: JSONError.self) { try read(text) }
    let key = example.prefix { $0 != ":" }
    #expect("\(error)" == "3:31: the step '\(step)' has no '\(key)', such as \(example)")
  }

  @Test func `keeps the values of a step and of its fault apart`() throws {
    let mixed = Self.client(
      "settings: { client: \"seed\" },",
      steps: "{ do: \"clock\", by: \"+3h\", fault: \"late-reply\" },")
    let error = try #require(throws: JSONError.self) { try read(mixed) }
    #expect("\(error)" == "3:65: 'by' is of the step here, and 'late-reply' takes one, too")
    #expect(error.problem.allowed?.contains("fault: { fault: \"late-reply\", by: ... }") == true)
    let apart = mixed.replacing(
      "\"late-reply\"", with: "{ fault: \"late-reply\", by: \"31s\", path: \"/token\" }")
    let step = try read(apart).steps[1]
    #expect(step.action == .clock(byMs: 10_800_000) && step.fault?.values.delayMs == 31_000)
    // As a replay file has it, too.
    let again = JSONWriter.text(of: step.json)
    #expect(
      again == #"{"by":"+3h","do":"clock","fault":{"by":"31000ms","fault":"late-reply","#
        + #""path":"/token"}}"#)
    let kept = try read(mixed.replacing(/\{ do: "clock".*?\}/, with: again))
    #expect(kept.steps[1].fault == step.fault)
    let slip = apart.replacing("path:", with: "pth:")
    #expect(throws: JSONError.self) { try read(slip) }
  }

  @Test func `takes a phone for a part of a case, and rows for all phones as complete`() throws {
    let text = """
      { schema: "lab.scenario/1", title: "T", phones: ["ios", "android"], story: "S.",
        steps: [ { do: "sign-in" }, { do: "launch" } ],
        expect: { good: { ios: ["keep"], android: ["recover"] } } }
      """
    let scenario = try read(text)
    let row = { (phone: PhoneKind) in
      scenario.expectedRow(for: [], phone: phone, store: "recipe")?.expected.words
    }
    #expect(row(.ios) == ["keep"] && row(.android) == ["recover"])
    let error = #expect(throws: JSONError.self) {
      try read(text.replacing(", android: [\"recover\"]", with: ""))
    }
    #expect(error?.description.contains("add one for the rest") == true)
  }

  @Test func `updates settings in the middle, by name and value`() throws {
    let text = """
      { schema: "lab.scenario/1", title: "T", phones: ["android"], story: "S.",
        steps: [
          { do: "sign-in" }, { do: "update", settings: { asyncStorage: "v3", size: "huge" } },
          { do: "store-secret", name: "pin" }, { do: "launch", fault: "kill@each-op" },
        ],
        expect: { good: { "*": ["keep"] } } }
      """
    let scenario = try read(text)
    guard case .update(let settings) = scenario.steps[1].action else {
      Issue.record("\(scenario.steps[1].action)")
      return
    }
    #expect(settings.knobs == ["async-storage": "v3"])
    #expect(settings[ScenarioSettings.size] == "huge")
    #expect(scenario.cases.first?.cases(at: [.operation(count: 1)]).map(\.name) == ["op:1"])
    let device = text.replacing("size: \"huge\"", with: "profile: \"strict\"")
    #expect(throws: JSONError.self) { try read(device) }
    let wrong = text.replacing("\"v3\"", with: "\"v4\"")
    let error = try #require(throws: JSONError.self) { try read(wrong) }
    #expect(Diagnostic(error, file: "t", source: wrong).text.contains("v3-scoped"))
  }

  @Test func `spreads variations and points into cases`() throws {
    let text = """
      { schema: "lab.scenario/1", title: "T", phones: ["ios"], story: "S.",
        vary: { sizeRule: ["off", "warn"], hit: { a: { fault: "kill@K0" }, b: { fault: "kill@K1" } } },
        steps: [ { do: "sign-in" }, { fault: [ { do: "lock" } ] }, { do: "launch", vary: "hit" } ],
        expect: { good: { "off+a": ["keep"], "*": ["recover"] } } }
      """
    let scenario = try read(text)
    #expect(scenario.cases.map(\.name) == ["off a", "off b", "warn a", "warn b"])
    #expect(scenario.controls.map(\.name) == ["off", "warn"])
    #expect(scenario.controls.allSatisfy { $0.steps.count == 2 })
    let row = scenario.expectations.first?.row(for: ["off", "a"])
    #expect(row?.expected == .exactly([[.keep]]))
    #expect(scenario.expectations.first?.row(for: ["warn", "a"])?.isRest == true)
  }
}
