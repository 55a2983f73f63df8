import Testing

@testable import Reports

@Suite struct `A check report` {
  private func report(_ problem: CheckReport.Problem?, output: [String] = []) -> CheckReport {
    var report = CheckReport(command: "lab run")
    report.suites = [
      .init(
        name: "a", checks: [.init(name: "b", group: "c", problem: problem, output: output)])
    ]
    return report
  }

  @Test func `is XML whatever an app prints`() {
    let problem = CheckReport.Problem(
      kind: .failure, type: "x", message: "\"<&>\"\u{1B}[31m", text: ["\u{0}", "]]>\u{FFFF}"])
    let text = JUnitDocument.text(of: report(problem))
    #expect(text.contains(#"message="&quot;&lt;&amp;&gt;&quot;\#u{FFFD}[31m""#))
    #expect(text.contains("\u{FFFD}\n]]&gt;\u{FFFD}</failure>"))
  }

  @Test func `counts failures and errors apart`() {
    let failure = CheckReport.Problem(kind: .failure, type: "x", message: "m", text: [])
    let error = CheckReport.Problem(kind: .error, type: "x", message: "m", text: [])
    #expect(JUnitDocument.text(of: report(nil)).contains(#"tests="1" failures="0" errors="0""#))
    #expect(JUnitDocument.text(of: report(failure)).contains(#"failures="1" errors="0""#))
    #expect(JUnitDocument.text(of: report(error)).contains(#"failures="0" errors="1""#))
  }

  @Test func `calls an interrupted run an error`() {
    var report = report(nil)
    report.addInterruption()
    let text = JUnitDocument.text(of: report)
    #expect(text.contains(#"tests="2" failures="0" errors="1""#))
    #expect(text.contains(#"<error type="interrupted""#))
  }

  @Test func `counts a case that a store does not have as skipped`() {
    let problem = CheckReport.Problem(kind: .skipped, type: "x", message: "m", text: [])
    let text = JUnitDocument.text(of: report(problem))
    #expect(text.contains(#"<testsuite name="a" tests="1" failures="0" errors="0" skipped="1">"#))
    #expect(text.contains(#"<skipped type="x" message="m"></skipped>"#))
  }

  @Test func `marks ten causes and counts the others`() {
    var report = report(nil)
    report.notes = (1...12).map { .init(title: "t\($0)", lines: ["a,b:c%", "d"]) }
    let lines = GitHubNotes.lines(of: report)
    #expect(lines.count == 11)
    #expect(lines[0] == "::error title=lab run%3A t1::a,b:c%25%0Ad")
    #expect(lines[10] == "::notice title=lab run::and 2 more causes; the report has them all")
    report.notes = [.init(title: "t", lines: ["l"], file: "a,b.json5", line: 3)]
    #expect(
      GitHubNotes.lines(of: report) == ["::error file=a%2Cb.json5,line=3,title=lab run%3A t::l"])
  }
}
