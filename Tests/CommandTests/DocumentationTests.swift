import Foundation
import Terminal
import Testing

@testable import lab

extension Commands.Phones {
  /// Every page: its links lead somewhere, and the program knows what it tells one to type.
  @Suite struct `The documentation` {
    @Test func `has links that lead somewhere`() throws {
      let pages = try Markdown.all()
      #expect(pages.count > 25)
      let broken = pages.flatMap { Self.brokenLinks(of: $0, in: Repository.root) }
      #expect(broken.isEmpty, "\n\(broken.joined(separator: "\n"))")
      #expect(pages.flatMap(\.links).count > 100)
    }

    @Test func `has command lines that lab understands`() throws {
      let wrong = try Markdown.all().flatMap(Self.wrongCommands)
      #expect(wrong.isEmpty, "\n\(wrong.joined(separator: "\n"))")
      let all = try Markdown.all().flatMap { $0.commandLines + $0.mentions }
      #expect(all.flatMap(CommandLine.calls).count > 200)
    }

    /// Blocks of `json5 NAME` are files that a reader may save and run.
    @Test func `has scenarios that show what they expect`() throws {
      let user = try User()
      let scenarios = try Markdown.all().flatMap(\.blocks).filter { $0.language == "json5" }
      #expect(scenarios.count >= 5)
      for scenario in scenarios {
        let name = try #require(scenario.file.split(separator: "/").last, "\(scenario.text)")
        try user.write(scenario.text, to: String(name))
        let ended = try user.lab("run", String(name), "--tier", "simulated")
        #expect(ended.code == 0, "\(name)\n\(ended.output)\(ended.errors)")
      }
    }

    /// What the program lists, and a page explains by hand.
    @Test(arguments: [("points", "Points.md"), ("steps", "Scenarios.md"), ("faults", "Faults.md")])
    func `explains every word`(list: String, page: String) throws {
      let text = try Repository.text("Documentation/\(page)")
      let entries = try User().lab("list", list, "--json").json().objects("entries")
      let words = entries.compactMap { $0["name"] as? String }
      #expect(words.count > 10)
      #expect(words.filter { !text.contains("`\($0)`") && !text.contains("# \($0)\n") } == [])
    }

    @Test func `has an index that names every page`() throws {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: "\(Repository.root)/Documentation"
      ).filter { $0.hasSuffix(".md") && $0 != "README.md" }
      let links = Set(try Markdown("Documentation/README.md").links)
      #expect(names.filter { !links.contains($0) } == [])
    }

    /// Each a link or a command line that is wrong in its own way.
    @Test func `is found out where it lies`() {
      let page = Markdown(
        path: "Documentation/x.md",
        text: """
          # A heading, and `code`

          [a](CI.md) [b](#a-heading-and-code) [c](CI.md#github-actions) [d](https://example.com/x)
          [1](Missing.md) [2](#no-heading) [3](CI.md#no-heading) `[4](Code.md)`

          Say `lab inject`, `./lab list WHAT`, `lab list fault`, `./lab run --budged 5m` or `lab` alone.

              ./lab run --app 'node x.mjs' --phone windows
              lab of some kind, in words
              ./lab inject
          """)
      #expect(
        Self.brokenLinks(of: page, in: Repository.root) == [
          "Documentation/x.md: Missing.md", "Documentation/x.md: #no-heading",
          "Documentation/x.md: CI.md#no-heading",
        ])
      let wrong = Self.wrongCommands(in: page)
      #expect(wrong.count == 5, "\(wrong)")
      for words in ["run --app", "of some", "list fault", "run --budged", "inject"] {
        #expect(wrong.contains { $0.contains("lab \(words)") }, "\(words)")
      }
    }

    private static func brokenLinks(of page: Markdown, in root: String) -> [String] {
      let folder = URL(filePath: page.path).deletingLastPathComponent().relativePath
      return page.links.filter { link in
        if link.contains("://") || link.hasPrefix("mailto:") { return false }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = "\(folder)/\(parts[0])"
        let isHere = parts[0].isEmpty
        guard isHere || FileManager.default.fileExists(atPath: "\(root)/\(path)") else {
          return true
        }
        guard parts.count > 1 else { return false }
        let target = isHere ? page : try? Markdown(path)
        return target?.anchors.contains(String(parts[1])) != true
      }.map { "\(page.path): \($0)" }
    }

    private static func wrongCommands(in page: Markdown) -> [String] {
      let typed = page.commandLines.map { (line: $0, isMention: false) }
      let all = typed + page.mentions.map { (line: $0, isMention: true) }
      return all.flatMap { line, isMention in
        CommandLine.calls(in: line).compactMap { words in
          CommandLine.problem(words, isMention: isMention).map {
            "\(page.path): lab \(words.joined(separator: " ")): \($0)"
          }
        }
      }
    }
  }
}
