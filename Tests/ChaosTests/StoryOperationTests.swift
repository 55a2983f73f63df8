import Gallery
import Phone
import Ports
import Testing

@testable import Chaos

@Suite struct `The operations of a story` {
  private func run(
    _ part: String, _ phone: PhoneKind, tells: Bool = true
  ) throws -> CaseRun {
    let file = try #require(GalleryFiles.file("torn-save"))
    let scenario = try ScenarioReader.read(Array(file.text.utf8), name: file.name)
    let runner = ScenarioRunner(on: try SimulatedPhone(PhoneSetup()), seed: 1)
    runner.tellsOperations = tells
    let run = try runner.run(scenario, on: phone, store: "recipe", only: part)
    return try #require(run.cases.first)
  }

  @Test(arguments: PhoneKind.allCases)
  func `end in each row with the durability that the row shows`(phone: PhoneKind) throws {
    let run = try run("K1", phone)
    #expect(Set(run.operations.map(\.row)).isSubset(of: Set(run.story.indices)))
    for (index, row) in run.story.enumerated() {
      guard let last = run.operations.last(where: { $0.row == index }) else { continue }
      #expect(last.keyIsDurable == row.key.isDurable, "\(row.text)")
      #expect(last.blobIsDurable == row.blob.isDurable, "\(row.text)")
    }
    #expect(run.operations.contains { !$0.keyIsDurable || !$0.blobIsDurable })
    #expect(run.operations.contains { $0.keyIsDurable && $0.blobIsDurable })
  }

  @Test func `say where the fault fell, and whose half each of them is`() throws {
    let run = try run("K1", .ios)
    let hits = run.operations.filter { $0.fault != nil }
    #expect(hits.map(\.point) == [.keyWritten] && hits.map(\.row) == [1])
    #expect(run.story.map(\.isFault) == [false, true, false])
    #expect(run.story.map(\.isFailure) == [false, false, true])
    #expect(run.story.map(\.sees) == [nil, nil, "no session"])
    for half in Half.allCases {
      #expect(run.operations.contains { $0.half == half && $0.words.hasPrefix("write /") })
    }
  }

  @Test func `are kept only where somebody tells them`() throws {
    #expect(try run("K1", .ios, tells: false).operations.isEmpty)
  }
}
