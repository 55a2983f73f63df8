import Foundation
import Terminal
import Testing

@testable import lab

extension Commands.Phones {
  /// `Documentation/Commands.md`.
  @Suite struct `The page of commands` {
    private static let path = "Documentation/Commands.md"

    private static let fresh = CommandsPage.text(
      of: Lab.program,
      intro: [
        "What `lab help COMMAND` says, in one page. Where `./lab` stands elsewhere, it is the script in the",
        "repository's root that builds the program before it becomes it.", "",
        "Written from the declarations of the commands; to renew it: "
          + "`LAB_WRITE_PAGES=1 ./lab test --filter CommandsPageTests`.",
      ])

    @Test func `is fresh`() throws {
      if ProcessInfo.processInfo.environment["LAB_WRITE_PAGES"] != nil {
        try Self.fresh.write(
          toFile: "\(Repository.root)/\(Self.path)", atomically: true, encoding: .utf8)
      }
      #expect(try Repository.text(Self.path) == Self.fresh, "LAB_WRITE_PAGES=1 renews it")
    }

    @Test func `has every command with its options and codes, and no hidden one`() {
      for command in Lab.program.commands {
        let heading = "\n## lab \(command.name)\n"
        #expect(Self.fresh.contains(heading) == !command.isHidden, "\(command.name)")
        guard !command.isHidden else { continue }
        for option in command.options {
          #expect(Self.fresh.contains("| `--\(option.name)"), "\(command.name) \(option.name)")
        }
      }
      #expect(Self.fresh.contains("| [`lint`](#lab-lint) | 1 | a window |"))
    }
  }
}
