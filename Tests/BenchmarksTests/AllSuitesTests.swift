import Glibc
import JSON
import Linux
import TestSupport
import Testing

@testable import Benchmarks

/// What every suite has to do, as people call it; a new one is held to it by being listed.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Every suite` {
  @Test(
    .enabled(if: Programs.canMount, "needs /dev/fuse"), arguments: Suites.all.map { $0.name })
  func `gives a figure for every case of a smoke run, and pages that hide none`(
    name: String
  ) throws {
    let scratch = try Scratch()
    let (file, page) = ("\(scratch.path)/run.json", "\(scratch.path)/run.html")
    var launch = ChildProcess.Launch(
      [Programs.lab, "bench", name, "--smoke", "--json", "--html", page])
    launch.descriptors = [
      nil, try Descriptor.open(file, O_WRONLY | O_CREAT, permissions: 0o600), nil,
    ]
    #expect(try ChildProcess(launch).wait(timeoutMs: 300_000) == .exited(0))
    let measured = try Measurements(JSONReader.read(Files.read(file)))
    #expect(measured.suite == name && measured.isSmoke && !measured.wasInterrupted)
    let texts = Set(try Outline(String(decoding: Files.read(page), as: UTF8.self)).texts)
    for row in measured.rows {
      #expect(row.value.isFinite, "\(row.name) (\(row.implementation))")
      #expect(
        texts.isSuperset(of: [
          row.name, row.implementation, FigureText.value(row.value, row.unit),
        ]), "\(row.name) (\(row.implementation))")
    }
    #expect(measured.rows.contains { !$0.demands.isEmpty })
  }

  /// A parameter that is nothing in a smoke run would let its benchmark rot.
  @Test func `has a smoke value for each of its parameters`() {
    let parameters: [String: Any] = [
      FilesystemSuite.name: FilesystemSuite.Parameters.smoke,
      ExplorationSuite.name: ExplorationSuite.Parameters.smoke,
      CryptoSuite.name: CryptoSuite.Parameters.smoke,
      StorageSuite.name: StorageSuite.Parameters.smoke,
      RefreshSuite.name: RefreshSuite.Parameters.smoke,
    ]
    #expect(parameters.keys.sorted() == Suites.all.map { $0.name }.sorted())
    for (suite, value) in parameters {
      for child in Mirror(reflecting: value).children {
        let name = "\(suite): \(child.label ?? "?")"
        if let count = child.value as? Int { #expect(count > 0, "\(name)") }
        if let list = child.value as? [Int] { #expect(!list.isEmpty, "\(name)") }
      }
    }
  }
}
