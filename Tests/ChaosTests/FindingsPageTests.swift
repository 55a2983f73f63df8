import Chaos
import Foundation
import Phone
import Reports
import Session
import Testing

/// `Faults/FINDINGS.md`, and the replay files that it names.
@Suite(.serialized) struct `The page of findings` {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Faults")
  private static let page = folder.appending(path: "FINDINGS.md")
  private static let files = folder.appending(path: "findings")

  private static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: files.path).sorted()
  }

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: files.appending(path: name), encoding: .utf8)
  }

  @Test func `is what an app as it is mostly written loses`() throws {
    let outcomes = try PhoneKind.allCases.map { phone in
      try SessionExplorer(SessionPlan(phone: phone, store: "recipe", profile: .seed)).run()
    }
    let fresh = FindingsPage(outcomes)
    if ProcessInfo.processInfo.environment["LAB_WRITE_PAGES"] != nil { try Self.write(fresh) }
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    #expect(text == fresh.text, "LAB_WRITE_PAGES=1 renews Faults/FINDINGS.md")
    #expect(text.contains("| falseSignOut | android |"))
    let replays = fresh.replays.sorted { $0.name < $1.name }
    #expect(try Self.names() == replays.map { "\($0.name).json" }, "LAB_WRITE_PAGES=1")
    for replay in replays {
      #expect(try Self.text("\(replay.name).json") == replay.text, "LAB_WRITE_PAGES=1")
    }
  }

  private static func write(_ fresh: FindingsPage) throws {
    try fresh.text.write(to: page, atomically: true, encoding: .utf8)
    for name in try names() { try FileManager.default.removeItem(at: files.appending(path: name)) }
    for replay in fresh.replays {
      try replay.text.write(
        to: files.appending(path: "\(replay.name).json"), atomically: true, encoding: .utf8)
    }
  }

  @Test func `names files that show their failures again`() throws {
    let names = try Self.names()
    #expect(names.count > 50)
    for name in names {
      let file = try ReplayFile.read(
        Array(try Self.text(name).utf8), name: String(name.dropLast(".json".count)))
      let played = try #require(file.story, "\(name)").play()
      #expect(played.isSame, "\(name)")
      #expect(played.replay.recorded.judgement.verdict.isFailure, "\(name)")
    }
  }
}
