import Foundation
import Testing

@testable import Benchmarks

@Suite struct `The page of results` {
  private let text: String

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    text = try String(contentsOf: root.appending(path: "Benchmarks/RESULTS.md"), encoding: .utf8)
  }

  /// The lines of one suite.
  private func part(_ suite: String) -> [Substring] {
    let lines = text.split(separator: "\n")
    guard let start = lines.firstIndex(where: { $0 == "## \(suite)" }) else { return [] }
    let rest = lines[(start + 1)...]
    return Array(rest[..<(rest.firstIndex { $0.hasPrefix("## ") } ?? rest.endIndex)])
  }

  @Test(arguments: Suites.all.map { $0.name })
  func `has the tables of every suite, its machine and its notes`(suite: String) {
    let lines = part(suite)
    #expect(lines.contains("| demanded | verdict | measured | of | by |"), "no \(suite)")
    #expect(lines.contains("### \(suite): notes"))
    let sections = lines.filter { $0.hasPrefix("### ") }.dropLast()
    let tables = lines.filter { $0.hasPrefix("| case | by | median | minimum | spread |") }
    #expect(!sections.isEmpty && tables.count == sections.count)
    for fact in MachineDescription.sample("", true).facts {
      #expect(lines.contains { $0.hasPrefix("| \(fact.name) | ") }, "\(fact.name)")
    }
  }

  @Test func `shows every number to reach, met or missed`() {
    for demand in Demanded.all where Suites.all.contains(where: { $0.name == demand.suite }) {
      let line = part(demand.suite).first { line in
        guard let cell = line.split(separator: " | ").first, cell.hasSuffix(demand.words) else {
          return false
        }
        return demand.name.map { line.contains(" | \($0) | ") } ?? true
      }
      let verdicts = ["| met |", "| MISSED by ", "| MISSED |", "| too noisy to say |"]
      #expect(
        line.map { line in verdicts.contains { line.contains($0) } } == true,
        "\(demand.suite): \(demand.words) of \(demand.name ?? "any")")
    }
  }

  @Test func `is of whole runs of an optimised build, and has no date`() throws {
    for word in ["smoke:", "DEBUG BUILD", "INTERRUPTED", "not judged"] {
      let isThere = text.contains(word)
      #expect(!isThere, "\(word)")
    }
    let date = try Regex(#"\b20\d\d-\d\d|\b\d\d:\d\d\b"#)
    let dated = text.split(separator: "\n").filter { $0.contains(date) }
    #expect(dated.isEmpty)
  }
}

/// What the project wants to reach, and in which rows it is measured.
private struct Demanded {
  let suite: String
  /// What stands at the end of the first cell.
  let words: String
  /// `nil` where the words say it all.
  var name: String?

  static let all: [Demanded] =
    ["4 KiB", "16 KiB"].flatMap { size in
      ["OpenSSL, context kept >= 1.70", "libgcrypt >= 1.00", "roofline >= 0.85"].map {
        Demanded(suite: "crypto", words: $0, name: "key kept, \(size)")
      }
    }
    + [
      "OpenSSL, context kept >= 1.80", "OpenSSL, fetched anew >= 2.80", "node >= 12.00",
      "openssl speed >= 0.95",
    ].map { Demanded(suite: "crypto", words: $0) }
    + [
      Demanded(suite: "crypto", words: "memcpy >= 0.50"),
      Demanded(suite: "crypto", words: "memcpy >= 0.30"),
      Demanded(suite: "crypto", words: "node >= 4.00", name: "setItem of recipe, 4 KiB"),
      Demanded(suite: "crypto", words: "node >= 4.00", name: "getItem of recipe, 4 KiB"),
      Demanded(suite: "crypto", words: "recipe >= 0.60", name: "setItem of durable, 4 KiB"),
      Demanded(suite: "filesystem", words: "pipe >= 0.60", name: "4 KiB write"),
      Demanded(suite: "filesystem", words: "pipe >= 0.60", name: "fsync"),
      Demanded(suite: "exploration", words: "naive >= 200.00"),
      Demanded(suite: "exploration", words: "<= 0", name: "heap growth of a state, bytes"),
      Demanded(suite: "exploration", words: "states >= 100.00"),
      Demanded(suite: "exploration", words: ">= 50000/s"),
      Demanded(suite: "exploration", words: "opened >= 10.00"),
      Demanded(suite: "exploration", words: "opened >= 4.00"),
      Demanded(suite: "refresh", words: ">= 100000/s"),
      Demanded(suite: "storage", words: "recipe <= 1.50"),
    ]
}
