import Foundation
import Testing

extension Commands.Results {
  @Suite struct `A report for CI` {
    private let user: User

    init() throws {
      user = try User()
      try user.require("xmllint", package: "libxml2-utils")
    }

    /// Recipe fails at K1 and B0, and the file does not say so.
    private func writeScenario(expecting rows: String = "") throws {
      try user.write(
        """
        { schema: "lab.scenario/1", title: "Bad", phones: ["ios"],
          story: "A save is torn & <cut>: 100%, see.", stores: ["recipe", "durable"],
          steps: [{ do: "sign-in" }, { do: "refresh", to: 2, fault: "kill@each" },
            { do: "launch" }],
          expect: {
            good: { "S0,K0": ["recover"], "K1,B0": ["keep|recover"], "*": ["keep"] }, \(rows)
          } }
        """, to: "bad.json5")
    }

    private func run(_ more: String = "") throws -> Ended {
      try user.shell("\(more) lab run bad.json5 --tier simulated --junit lab.xml")
    }

    @Test func `is JUnit's XML with a failure for each unexpected case`() throws {
      try writeScenario()
      let ended = try run()
      #expect(ended.code == 1)
      #expect(ended.errors.contains("written: lab.xml") && !ended.errors.contains("::error"))
      #expect(try user.xpath("/testsuites/@tests") == "16")
      // Durable writes no key.
      #expect(try user.xpath("//testsuite/@skipped") == "2")
      #expect(
        try user.xpath("//skipped[1]/../@name") == "K0 (before the key), store durable, simulated")
      #expect(try user.xpath("/testsuites/@failures") == "2")
      #expect(try user.xpath("count(//testcase)") == "16")
      #expect(try user.xpath("//failure[1]/@type") == "falseSignOut")
      #expect(
        try user.xpath("//failure[1]/../@name") == "K1 (key written), store recipe, simulated")
      #expect(
        try user.xpath("//failure[1]/@message")
          == "falseSignOut, expected: keep or recover. A save is torn & <cut>: 100%, see.")
      #expect(
        try user.xpath("substring-after(//failure[1], \"replay: \")")
          == "./lab run bad.json5 --store recipe --case K1 --seed 1")
      #expect(try user.xpath("contains(//failure[1]/../system-out, \"KILLED\")") == "true")
      let first = try user.read("lab.xml")
      #expect(try run().code == 1)
      #expect(try user.read("lab.xml") == first)
      #expect(!first.contains(user.folder))
    }

    @Test func `has no failure where the file says what is lost`() throws {
      try writeScenario(expecting: #"recipe: { "K1,B0": ["falseSignOut"] },"#)
      #expect(try run("GITHUB_ACTIONS=true").errors.contains("::error") == false)
      #expect(try user.xpath("/testsuites/@failures") == "0")
      #expect(
        try user.xpath("//testcase[contains(@name, \"K1\")]/system-out")
          == "falseSignOut, as its file says")
    }

    @Test func `marks on GitHub the line, and tells the story in the summary`() throws {
      try writeScenario()
      try user.write("before\n", to: "summary.md")
      let ended = try run("GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md")
      let marks = ended.errors.split(separator: "\n").filter { $0.hasPrefix("::") }
      #expect(
        marks == [
          "::error file=bad.json5,line=6,title=lab run%3A falseSignOut%2C bad%2C K1 (key written)%2C "
            + "ios%2C store recipe::A save is torn & <cut>: 100%25, see.%0Athe same in 1 more case"
            + "%0Areplay: ./lab run bad.json5 --store recipe --case K1 --seed 1"
        ])
      #expect(!ended.output.contains("::"))
      let summary = try user.read("summary.md")
      #expect(summary.hasPrefix("before\n### lab run\n\n14 runs, 2 not as expected;"))
      #expect(summary.contains("\n```text\nFINDING 1 of 1  falseSignOut"))
    }

    @Test func `of an exploration names its causes and replays, ten of them on GitHub`() throws {
      let ended = try user.shell(
        "GITHUB_ACTIONS=true lab explore --store recipe --junit lab.xml")
      #expect(ended.code == 1)
      let count = try #require(Int(try user.xpath("/testsuites/@failures")))
      let marks = ended.errors.split(separator: "\n").filter { $0.hasPrefix("::error ") }
      #expect(marks.count == min(count, 10))
      #expect(marks[0].hasPrefix("::error file=lab-findings/"))
      if count > 10 { #expect(ended.errors.contains("::and \(count - 10) more causes;")) }
      let good = try user.lab("explore", "--junit", "good.xml")
      #expect(good.code == 0)
      #expect(try user.xpath("/testsuites/@failures", in: "good.xml") == "0")
      #expect(try user.xpath("/testsuites/@tests", in: "good.xml") == "1")
      let story = try user.lab(
        "explore", "--client", "seed", "--store", "recipe", "--story", "stay", "--junit", "s.xml")
      #expect(story.code == 1)
      #expect(try user.xpath("//failure[1]/@type", in: "s.xml").isEmpty == false)
    }

    @Test func `that cannot be written is refused before anything runs`() throws {
      for path in ["no/such/lab.xml", "."] {
        let ended = try user.lab("run", "torn-save", "--junit", path)
        #expect(ended.code == 2 && ended.output.isEmpty)
        #expect(ended.errors == "lab: --junit \(path) cannot be written.  do: name another file\n")
      }
    }
  }
}
