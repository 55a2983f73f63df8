import Foundation
import Testing

extension Commands.Results {
  /// What commands really print, against the schemas that `lab schema` prints.
  @Suite struct `The JSON Schemas` {
    private let user: User

    init() throws {
      user = try User()
      #expect(try user.shell("mkdir out").code == 0)
    }

    private func keep(_ lines: String...) throws {
      for (number, line) in lines.enumerated() {
        let ended = try user.shell("lab \(line) > out/\(number).json")
        #expect(ended.code < 2, "\(line): \(ended.errors)")
      }
    }

    @Test func `fit what is printed in memory`() throws {
      try keep(
        "run torn-save --tier simulated --store recipe --json", "explore --store recipe --json",
        "explore --store recipe --client seed --story stay --json",
        "compare --phone ios --store recipe --faults kill,bit-flip,keystore-loss --json",
        "selftest --twin retry-storm --tier simulated --budget 1s --json",
        "replay lab-findings --json", "lint --store recipe --json", "list rules --json",
        "doctor --json", "bench crypto --smoke --rounds 1 --json")
      #expect(try user.shell("cp lab-findings/* out/").code == 0)
      try user.expectValid(
        [
          "run", "explore", "compare", "selftest", "replayed", "replay", "story", "lint", "list",
          "doctor", "bench",
        ], in: "out/*")
    }

    @Test func `fit what is printed of a phone and a server`() throws {
      try keep("status --json")
      let phone = try user.mount("my-phone")
      let serving = try Serving(user, "--json")
      try keep(
        "status --json", "app --store recipe sign-in --json", "status my-phone --json",
        "faults --json",
        "inject kill@K1 --json", "faults --on my-phone --json",
        "faults --on my-phone --release --json", "inject keychain-reset --json",
        "snapshot one --json", "restore one --json", "app --store recipe get --json",
        "inject refuse --json", "lint --json", "reset --device --json")
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
      serving.process.send(SIGTERM)
      try user.write(try serving.process.wait().output, to: "out/serve.json")
      try user.expectValid(
        ["status", "app", "inject", "faults", "snapshot", "lint", "serve"], in: "out/*")
    }

    @Test func `refuse a key too many, one too few and a wrong word`() throws {
      let good = try user.lab("run", "locked-save", "--tier", "simulated", "--json").output
      for (old, new) in [
        (#""seed": 1"#, #""seed": 1, "more": 1"#), (#""asExpected": true,"#, ""),
        (#""phone": "ios""#, #""phone": "iso""#), (#""seed": 1"#, #""seed": "1""#),
      ] {
        let bad = good.replacing(old, with: new)
        try #require(bad != good, "\(old)")
        try user.write(bad, to: "out/bad.json")
        #expect(try user.check("'\(Repository.schemas)'", "out/*").code == 1, "\(new)")
      }
    }

    @Test func `are printed as they lie in the repository, and listed`() throws {
      let files = try FileManager.default.contentsOfDirectory(atPath: Repository.schemas)
      let rows = try user.lab("list", "schemas").lines
      for file in files {
        let id = file.replacing("-1.json", with: "/1")
        #expect(
          try user.lab("schema", id).output
            == Repository.text("Documentation/schemas/\(file)"), "\(id)")
        #expect(rows.contains { $0.hasPrefix("  \(id) ") }, "\(id)")
      }
      #expect(files.count >= 19)
      let unknown = try user.lab("schema", "lab.rum/1")
      #expect(unknown.code == 64 && unknown.errors.contains("nearest: lab.run/1"))
    }
  }
}
