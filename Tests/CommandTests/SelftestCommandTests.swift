import Foundation
import Testing

extension Commands.Results {
  @Suite struct `lab selftest` {
    private let user: User

    init() throws { user = try User() }

    private static let twins = ["--twin", "marker-trusted", "--twin", "never-at-rest"]

    private func selftest(_ words: String...) throws -> Ended {
      try user.shell("lab selftest \((Self.twins + words).joined(separator: " "))")
    }

    @Test func `shows which engine catches which twin`() throws {
      let ended = try selftest("--budget", "10s")
      #expect(ended.code == 0)
      #expect(ended.lines.allSatisfy { $0.count <= 100 })
      #expect(ended.lines.contains { $0.hasPrefix("  marker-trusted  falseSignOut") })
      #expect(!ended.output.contains("MISSED"))
      let canMount = FileManager.default.fileExists(atPath: "/dev/fuse")
      #expect(ended.output.contains("not run") == !canMount)
      #expect(ended.lines.last == "next: lab chaos")
    }

    @Test func `says the same twice for programs`() throws {
      let (one, other) = (
        try selftest("--tier", "simulated", "--json"), try selftest("--tier", "simulated", "--json")
      )
      #expect(one.code == 0)
      #expect(one.output == other.output)
      let json = try one.json()
      #expect(json["schema"] as? String == "lab.selftest/1")
      let twins = try #require(json["twins"] as? [[String: Any]])
      #expect(twins.compactMap { $0["name"] as? String } == ["marker-trusted", "never-at-rest"])
      let engines = try #require(twins.last?["engines"] as? [String: Any])
      #expect(engines["random"] as? [String] == ["neverConverged"])
      #expect(engines["mounted"] is NSNull)
    }

    @Test func `refuses words that it does not know`() throws {
      let twin = try user.lab("selftest", "--twin", "retry-strom")
      #expect(twin.code == 64)
      #expect(twin.errors.contains("nearest: retry-storm"))
      #expect(try user.lab("selftest", "--budget", "soon").code == 64)
      #expect(try user.lab("selftest", "--tier", "all").code == 64)
    }

    @Test func `takes the words that other commands take`() throws {
      let ended = try user.lab(
        "selftest", "--tier", "both", "--twin", "zoo/double-writer", "--budget", "1s")
      #expect(ended.code == 0, "\(ended.errors)")
      #expect(ended.output.contains("double-writer"))
    }

    @Test func `has its twins in a list of their own`() throws {
      #expect(try user.lab("list", "twins").output.contains("zoo/retry-storm"))
      #expect(try !user.lab("list", "stores").output.contains("zoo"))
      #expect(try !user.lab("run", "--help").output.contains("zoo/"))
    }

    @Test func `is about stores that other commands take`() throws {
      let ended = try user.lab(
        "run", "torn-save", "--tier", "simulated", "--store", "zoo/marker-trusted")
      #expect(ended.code == 1)
      #expect(ended.output.contains("falseSignOut"))
      #expect(try user.lab("run", "torn-save", "--store", "zoo/none").code == 64)
    }
  }
}
