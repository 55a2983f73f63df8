import Chaos
import Foundation
import Phone
import Reports
import Testing

/// The pages of `Documentation` that are written from the program's tables.
@Suite struct `The reference pages` {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation")

  @Test(arguments: ReferencePage.all.map(\.name))
  func `are fresh`(name: String) throws {
    let page = try #require(ReferencePage.all.first { $0.name == name })
    let file = Self.folder.appending(path: name)
    if ProcessInfo.processInfo.environment["LAB_WRITE_PAGES"] != nil {
      try page.text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == page.text, "LAB_WRITE_PAGES=1")
  }

  private func text(_ name: String) throws -> String {
    try #require(ReferencePage.all.first { $0.name == name }).text
  }

  /// The part of the page between a fault's heading and the next.
  private func entry(_ kind: FaultKind) throws -> String {
    let parts = try text("Faults.md").components(separatedBy: "\n### \(kind.rawValue)\n")
    try #require(parts.count == 2)
    return parts[1].components(separatedBy: "\n#")[0]
  }

  @Test(arguments: FaultKind.allCases)
  func `say of each fault how to type it, why it can happen, and where that is written`(
    kind: FaultKind
  ) throws {
    let entry = try entry(kind)
    #expect(entry.contains("| type | `lab inject \(kind.rawValue)"))
    #expect(entry.contains("| source | \(kind.source ?? "an assumption of the lab") |"))
    for parameter in kind.parameters { #expect(entry.contains("| `--\(parameter.rawValue)` |")) }
    let isOfSystem = kind.group == .system
    for phone in PhoneKind.allCases {
      #expect(entry.contains("| \(phone.rawValue) |") == isOfSystem)
    }
  }

  @Test func `say what an event takes, and where it does not exist`() throws {
    #expect(try entry(.keychainReset).contains("| ios | takes key, leaves blob: securityd"))
    #expect(try entry(.keychainReset).contains("| android | this phone has no keychain-reset"))
    #expect(try entry(.uninstall).contains("| android | takes key and blob, leaves nothing:"))
    #expect(try entry(.lock).contains("| android | takes nothing, leaves key and blob:"))
  }

  @Test func `name every verdict, every setting and every profile`() throws {
    let verdicts = try text("Verdicts.md")
    for verdict in Verdict.allCases { #expect(verdicts.contains("| `\(verdict.rawValue)` |")) }
    let phones = try text("Phones.md")
    for key in ScenarioSettings.keys { #expect(phones.contains("| `\(key.name)` |")) }
    #expect(try text("Profiles.md").contains("| `apfs` |"))
  }
}
