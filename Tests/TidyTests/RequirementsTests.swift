import Foundation
import Testing

@Suite struct `The requirements` {
  private static let page = "Documentation/Requirements.md"

  private func requirements() throws -> Requirements {
    let tests = try Repository.swiftFiles(in: ["Tests"]).filter { !$0.path.contains("/TidyTests/") }
    return Requirements(try Repository.text("Documentation/requirements.txt"), namedIn: tests)
  }

  @Test func `have a test each`() throws {
    let requirements = try requirements()
    #expect(requirements.all.count > 200)
    #expect(requirements.untested == [])
    #expect(requirements.unknown == [])
  }

  @Test func `stand on a page that is fresh`() throws {
    let fresh = try requirements().page
    if ProcessInfo.processInfo.environment["LAB_WRITE_PAGES"] != nil {
      try fresh.write(
        to: Repository.root.appending(path: Self.page), atomically: true, encoding: .utf8)
    }
    #expect(try Repository.text(Self.page) == fresh, "LAB_WRITE_PAGES=1 renews \(Self.page)")
  }

  @Test func `are missed when no test names them, and known when one does`() {
    let list = "## Store\nR-A-1 S,N one\nR-A-2 D two\nR-A-3 I three\n"
    let text = """
      /// R-A-1 of old
      @Suite struct `A store` {
        // R-A-1, R-B-9
        @Test func `holds`() {}
        @Test func `keeps R-A-2`() {}
      }
      """
    let requirements = Requirements(list, namedIn: [SourceFile(path: "Tests/a.swift", text: text)])
    #expect(requirements.untested == ["R-A-3"])
    #expect(requirements.unknown == ["R-B-9"])
    #expect(requirements.tests["R-A-1"] == ["A store", "A store: holds"])
    #expect(requirements.tests["R-A-2"] == ["A store: keeps R-A-2"])
    #expect(requirements.page.contains("| R-A-1 | S,N | one | A store · A store: holds |"))
  }
}
