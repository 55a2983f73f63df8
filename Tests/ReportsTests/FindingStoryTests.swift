import JSON
import Phone
import Terminal
import TestSupport
import Testing

@testable import Chaos
@testable import Reports

@Suite struct `A story of a finding` {
  private func row(
    _ text: String, key: String? = "a", blob: String? = "b", durable: Bool = true,
    isFault: Bool = false, isFailure: Bool = false
  ) -> StoryRow {
    StoryRow(
      text: text, key: StoryHalf(digest: key, isDurable: durable),
      blob: StoryHalf(digest: blob, isDurable: durable), sees: nil, isFault: isFault,
      isFailure: isFailure)
  }

  private func operation(_ number: Int, row: Int = 0, fault: String? = nil) -> StoryOperation {
    StoryOperation(
      row: row, words: "write /file-\(number)", half: .blob, keyIsDurable: true,
      blobIsDurable: false, point: nil, fault: fault)
  }

  private func story(
    _ rows: [StoryRow], _ operations: [StoryOperation] = []
  ) throws -> FindingStory {
    let scenario = Scenario(
      name: "torn", title: "Torn", phones: [.ios], seed: nil, story: "A save is torn.",
      stores: [], settings: ScenarioSettings(), variations: [], steps: [], expectations: [])
    let run = CaseRun(
      scenario: "torn", name: "K1", parts: ["K1"], phone: .ios, tier: .simulated, store: "recipe",
      client: "reference",
      judgements: [Judgement(.falseSignOut, "it is gone | <b>")], faults: FaultTally(),
      images: [], faultKinds: [.kill, .bitFlip], story: rows, operations: operations, trace: nil,
      outcome: .asExpected, isControl: false)
    return FindingStory(run, of: scenario)
  }

  @Test func `names values by their first appearance, and marks what is durable`() throws {
    let lines = try story([
      row("signs in", key: "x", durable: false), row("refreshes", key: "y", isFault: true),
      row("cold start", key: "x", blob: nil, isFailure: true),
    ]).lines
    #expect(lines.map(\.number) == ["1", "X", "3!"])
    #expect(lines.map(\.key.words) == ["key 1 ~", "key 2 #", "key 1 #"])
    #expect(lines.map(\.blob.words) == ["blob 1 ~", "blob 1 #", "-"])
    #expect(lines.map(\.key.isNew) == [true, true, true])
    #expect(lines.map(\.blob.isNew) == [true, false, true])
  }

  @Test func `counts steps, and not what is said of them`() throws {
    var remark = row("key half: vault")
    remark.isRemark = true
    let lines = try story([row("signs in"), remark, row("refreshes"), row("reads")]).lines
    #expect(lines.map(\.number) == ["1", "", "2", "3"])
    #expect(lines.map(\.rows) == [0...0, 1...1, 2...2, 3...3])
  }

  @Test func `has at most twelve rows where nothing happened in between`() throws {
    let rows =
      [row("signs in")] + (1...20).map { row("reads \($0)") }
      + [row("is killed", isFault: true), row("cold start", key: nil, isFailure: true)]
    let lines = try story(rows).lines
    #expect(lines.map(\.number) == ["1", "2", "X", "23!"])
    #expect(lines[1].text == "20 steps, nothing changed in the halves")
    #expect(lines[1].rows == 1...20)
    // Twelve stand as they are.
    #expect(try story((1...12).map { row("reads \($0)") }).lines.count == 12)
  }

  @Test func `shows every operation of a short run, and of a long one those near the fault`() throws
  {
    let few = (1...200).map { operation($0) }
    #expect(try story([row("saves")], few).window.shown.count == 200)
    let many = (1...500).map { operation($0, fault: $0 == 300 ? "kill" : nil) }
    let window = try story([row("saves", isFault: true)], many).window
    #expect(window.before == 279 && window.behind == 180)
    #expect(window.shown.first?.words == "write /file-280")
    #expect(window.shown.last?.words == "write /file-320")
  }

  @Test func `is the same on a terminal, on a page and in an issue`() throws {
    let story = try story(
      [row("signs in"), row("cold start | <i>", key: nil, isFailure: true)], [operation(1)])
    var card = FindingCard(story: story)
    card.replay = "./lab replay x.json"
    card.control = "keep"
    card.right = "recover"
    let text = FindingText(card).lines(number: 1, of: 1).joined(separator: "\n")
    let page = try Outline("<div>\(card.markup(id: "finding-1").html)</div>").texts
      .joined(separator: "\n")
    let issue = card.markdown
    for words in [
      "A save is torn.", "signs in", "2!", "./lab replay x.json", FindingStory.legend,
    ] {
      for told in [text, page, issue] { #expect(told.contains(words), "\(words) in\n\(told)") }
    }
    #expect(page.contains("cold start | <i>") && page.contains("falseSignOut: it is gone | <b>"))
    // Nobody's text ends a cell of the issue's table, or becomes a tag there.
    #expect(issue.contains(#"cold start \| \<i\>"#))
    #expect(page.contains("kill-between-calls\n (legal): two native modules"))
    #expect(
      text.contains("control: the same without the fault: keep\n  a correct app: recover\n  fix: "))
    #expect(page.contains("synthetic\n: bytes changed by hand"))
  }
}

@Suite struct `A report page` {
  private func page(_ data: String = "x") throws -> String {
    try ReportPage(
      heading: "No findings: <b>", maker: "lab run", facts: ["lab 1"], seed: 1,
      data: ["text": .text(data)]
    ).html()
  }

  @Test func `reads as XML, whatever its data hold`() throws {
    let html = try page("</script><!-- & ]]> \u{1B}")
    let outline = try Outline(html)
    #expect(outline.names.filter { $0 == "h1" }.count == 1)
    #expect(outline.names.filter { $0 == "script" }.count == 2)
    #expect(html.contains(#"\u003c/script\u003e\u003c!-- \u0026 ]]\u003e"#))
    #expect(outline.texts.contains("No findings: <b> - lab run"))
  }

  @Test func `carries at most 40 KB of rules and script`() throws {
    #expect(try page().utf8.count < 40_000)
  }
}
