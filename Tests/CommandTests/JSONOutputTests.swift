import Foundation
import Testing

extension Commands.Results {
  @Suite struct `With --json` {
    /// The keys of an object on stdout; its schema is checked, and that stdout holds nothing else.
    private func keys(
      _ ended: Ended, _ schema: String, _ location: SourceLocation = #_sourceLocation
    ) throws -> Set<String> {
      let json = try ended.json(location)
      #expect(json["schema"] as? String == schema, sourceLocation: location)
      #expect(!ended.output.contains("\u{1B}"), sourceLocation: location)
      return Set(json.keys)
    }

    @Test func `every command on a phone prints one object with its schema`() throws {
      let user = try User()
      #expect(
        try keys(user.lab("status", "--json"), "lab.status/1") == ["schema", "phones", "servers"])
      let phone = try user.mount("my-phone")
      let app = try user.lab("app", "--store", "recipe", "sign-in", "--json")
      #expect(try keys(app, "lab.app/1").isSuperset(of: ["command", "outcome", "warnings"]))
      let status = try keys(user.lab("status", "--json"), "lab.status/1")
      #expect(
        status.isSuperset(of: ["name", "phone", "lockState", "operations", "processes", "faults"]))
      for words in [["keychain-reset"], ["kill@K1"], ["power-cut", "--survivors", "all"]] {
        let ended = try user.shell("lab inject \(words.joined(separator: " ")) --json")
        #expect(
          try keys(ended, "lab.inject/1").isSuperset(
            of: ["fault", "status", "removed", "remains"]))
      }
      #expect(try keys(user.lab("faults", "--json"), "lab.faults/1").contains("faults"))
      let released = try user.lab("faults", "--release", "--json")
      #expect(try keys(released, "lab.faults/1").isSuperset(of: ["released", "faults"]))
      #expect(
        try keys(user.lab("snapshot", "one", "--json"), "lab.snapshot/1").isSuperset(
          of: ["name", "half", "items"]))
      #expect(
        try keys(user.lab("restore", "one", "--json"), "lab.inject/1").isSuperset(
          of: ["fault", "status", "removed", "remains"]))
      #expect(try keys(user.lab("reset", "--json"), "lab.faults/1").contains("faults"))
      #expect(
        try keys(user.lab("reset", "--device", "--json"), "lab.inject/1").contains("remains"))
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test(arguments: [
      "faults", "scenarios", "stores", "phones", "profiles", "verdicts", "points", "settings",
      "errors",
    ]) func `list gives names with their meaning`(subject: String) throws {
      let json = try User().lab("list", subject, "--json").json()
      #expect(json["schema"] as? String == "lab.list/1")
      #expect(json["what"] as? String == subject)
      let entries = try #require(json["entries"] as? [[String: String]])
      #expect(!entries.isEmpty)
      #expect(entries.allSatisfy { $0["name"]?.isEmpty == false && $0["meaning"] != nil })
    }

    @Test func `doctor gives its checks`() throws {
      let ended = try User().lab("doctor", "--json")
      #expect(ended.code == 0)
      let json = try ended.json()
      #expect(json["schema"] as? String == "lab.doctor/1")
      let checks = try #require(json["checks"] as? [[String: Any]])
      #expect(checks.count >= 4 && checks.allSatisfy { $0["ok"] as? Bool == true })
    }

    @Test func `status names every phone when there are several`() throws {
      let user = try User()
      let phones = [try user.mount("a"), try user.mount("b")]
      let json = try user.lab("status", "--json").json()
      #expect(json["phones"] as? [[String: String]] == [["name": "a"], ["name": "b"]])
      #expect(try keys(user.lab("status", "a", "--json"), "lab.status/1").contains("lockState"))
      for name in ["a", "b"] { #expect(try user.lab("unmount", name).code == 0) }
      for phone in phones { #expect(try phone.wait().code == 0) }
    }

    @Test func `two equal runs give equal bytes, and another seed other images`() throws {
      let user = try User()
      func run(_ seed: String) throws -> Ended {
        try user.lab("run", "locked-save", "power-cut-blob-behind", "--seed", seed, "--json")
      }
      let first = try run("9")
      #expect(first.code == 0)
      #expect(try run("9") == first)
      #expect(try run("10").output != first.output)
      let json = try first.json()
      #expect(json["schema"] as? String == "lab.run/1" && json["seed"] as? Int == 9)
      let runs = try #require(json["runs"] as? [[String: Any]])
      #expect(runs.count > 4)
      for run in runs {
        #expect(
          Set(run.keys).isSuperset(of: [
            "scenario", "case", "phone", "store", "client", "tier", "verdicts", "expected",
            "asExpected", "faults",
          ]))
      }
      #expect(!first.output.contains(user.folder))
    }

    /// The proof that a finding of the one tier is one of the other.
    @Test func `the tiers show equal verdicts for every case of the gallery`() throws {
      let user = try User()
      func verdicts(_ tier: String) throws -> [String: [String]] {
        let ended = try user.begin("run", "--store", "recipe", "--tier", tier, "--json")
          .wait(seconds: 600)
        #expect(ended.code == 0, "\(tier)")
        let runs = try #require(try ended.json()["runs"] as? [[String: Any]])
        #expect(runs.allSatisfy { $0["tier"] as? String == tier })
        return runs.reduce(into: [:]) { verdicts, run in
          let name = ["scenario", "phone", "case"].map { "\(run[$0] ?? "")" }
          // How many operations a step makes may differ by one that only a kernel makes.
          guard !name[2].contains("op:") else { return }
          verdicts[name.joined(separator: " ")] = run["verdicts"] as? [String]
        }
      }
      let simulated = try verdicts("simulated")
      #expect(simulated.count > 60)
      #expect(try verdicts("mounted") == simulated)
    }
  }
}
