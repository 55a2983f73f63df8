import JSON
import Testing

@testable import Benchmarks

@Suite struct `A run that was written as JSON` {
  private func read(_ value: JSONValue) throws -> Measurements {
    try Measurements(JSONReader.read(JSONWriter.text(of: value, .pretty)))
  }

  @Test func `is read as it was`() throws {
    var measured = Measurements.sample()
    #expect(try read(measured.json).json == measured.json)
    (measured.isSmoke, measured.plannedRoundCount, measured.conclusion) = (true, 9, nil)
    let again = try read(measured.json)
    #expect(again.json == measured.json)
    #expect(again.isSmoke && again.wasInterrupted && again.conclusion == nil)
  }

  @Test func `keeps that there was no figure`() throws {
    var measured = Measurements.sample()
    measured.sections[0].rows.append(
      .init("p99", "lab", .of(1, 2), quantile: 0.99))
    #expect(try read(measured.json).sections[0].rows.last?.spread.isNaN == true)
  }

  @Test func `says which machine it was, and how the lab was built`() throws {
    let machine = try #require(Measurements.sample().json["machine"]?.object)
    #expect(
      machine.members.map(\.key) == [
        "cpu", "features", "kernel", "libevent", "libfuse", "openssl", "optimised", "processor",
        "processors", "sqlite", "swift",
      ])
  }

  @Test func `is refused in another schema, before anything else is looked at`() {
    let error = #expect(throws: JSONError.self) {
      try read(["schema": "lab.run/1", "runs": []])
    }
    #expect("\(error, default: "")".contains("not what lab bench --json writes"))
  }

  @Test(arguments: ["suite", "rows", "machine", "sections", "seed"])
  func `is refused without a field`(key: String) throws {
    var fields = try #require(Measurements.sample().json.object)
    fields[key] = nil
    let error = #expect(throws: JSONError.self) { try read(.object(fields)) }
    #expect("\(error, default: "")".contains("'\(key)'"))
  }

  @Test func `is refused with a field that nobody knows, and with a row of no section`() throws {
    var fields = try #require(Measurements.sample().json.object)
    fields["colour"] = "blue"
    #expect(throws: JSONError.self) { try read(.object(fields)) }
    fields["colour"] = nil
    fields["sections"] = []
    #expect(throws: JSONError.self) { try read(.object(fields)) }
  }

  @Test func `keeps the samples of many rounds as quantiles`() {
    let many = (1...1000).reduce(into: Samples()) { $0.add(Double(1001 - $1)) }
    #expect(many.kept.count == 120)
    #expect(many.kept.first == 1 && many.kept.last == 1000)
    #expect(Samples.of(3, 1, 2).kept == [3, 1, 2])
  }
}
