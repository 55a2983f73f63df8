import Gallery
import Phone
import Terminal
import Testing

@testable import Chaos
@testable import Reports

/// Rows of the table of a campaign, in which clients that show the same share one.
@Suite struct `The short table of a scenario` {
  private static func table(_ name: String) throws -> RunTable {
    let file = try #require(GalleryFiles.file(name))
    let scenario = try ScenarioReader.read(Array(file.text.utf8), name: name)
    let runner = ScenarioRunner(on: try SimulatedPhone(PhoneSetup()), seed: 7)
    return RunTable([try runner.run(scenario, on: .ios, store: "durable")])
  }

  @Test func `has one row for clients that show the same, and the long one has all`() throws {
    let table = try Self.table("keychain-reset")
    let short = table.rows(stores: ["durable"], isShort: true)
    #expect(short.map(\.isOnly) == [true])
    #expect(short.map(\.cells.first?.text) == ["cleanOut +1"])
    let long = table.rows(stores: ["durable"])
    #expect(long.map(\.name) == ["reference", "seed", "hardened"])
  }

  @Test func `keeps the rows of clients apart that show something else`() throws {
    let rows = try Self.table("locked-read").rows(stores: ["durable"], isShort: true)
    #expect(rows.map(\.name) == ["reference", "seed", "hardened"])
    #expect(rows.map(\.cells.first?.text) == ["defer +1", "hang +1*", "defer +2"])
  }

  @Test func `keeps what else tells cases apart`() throws {
    let rows = try Self.table("torn-refresh").rows(stores: ["durable"], isShort: true)
    #expect(rows.contains { $0.name == "B0 (before the blob)" && !$0.isOnly })
    #expect(!rows.contains { $0.name.contains("seed") })
  }
}
