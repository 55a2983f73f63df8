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
    ("{ do: \"launch\" }", "{ do: \"foreground\" }", "needs an app with its client"),
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
