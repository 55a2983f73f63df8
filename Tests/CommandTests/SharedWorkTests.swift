import Foundation
import Testing

extension Commands.Results {
  /// What child processes and shards share comes to the same, however it is shared.
  @Suite struct `Shared work` {
    private let user: User

    init() throws {
      user = try User()
      try user.require("xmllint", package: "libxml2-utils")
    }

    private static let chaos = [
      "chaos", "--tier", "simulated", "--phone", "ios", "--seed", "5", "--effort", "1s", "--json",
    ]
    private static let compare = [
      "compare", "--phone", "ios", "--store", "recipe", "--store", "keychain-only", "--bound", "2",
      "--faults",
      "kill,power-cut,lock,keychain-reset,keystore-loss,truncate", "--json",
    ]

    private func lab(_ words: [String]) throws -> Ended {
      try user.begin(words).wait(seconds: 600)
    }

    /// Runs each shard in a process of its own, all at once, through GNU parallel where there is one.
    private func shards(of words: [String], count: Int) throws -> [String] {
      let files = (1...count).map { "\(words[0])-\($0).json" }
      let line = (["lab"] + words).joined(separator: " ")
      let numbers = (1...count).map(String.init).joined(separator: " ")
      let all =
        try user.shell("command -v parallel").code == 0
        ? "parallel '\(line) --shard {}/\(count) > \(words[0])-{}.json' ::: \(numbers)"
        : "for i in \(numbers); do \(line) --shard $i/\(count) > \(words[0])-$i.json & done; wait"
      let ended = try user.begin(shell: all).wait(seconds: 600)
      #expect(ended.code == 0, "\(ended.errors)")
      return files
    }

    @Test func `of a campaign is the same for one process, two, and three merged shards`() throws {
      let one = try lab(Self.chaos + ["--jobs", "1"])
      #expect(one.code == 0, "\(one.errors)")
      #expect(try lab(Self.chaos + ["--jobs", "2", "--junit", "lab.xml"]).output == one.output)
      try expectJUnit()
      let files = try shards(of: Self.chaos, count: 3)
      let merged = try lab(["merge", "--json"] + files)
      #expect(merged.code == one.code)
      #expect(merged.output == one.output)
      let json = try one.json()
      #expect(json["schema"] as? String == "lab.chaos/1" && json["seed"] as? Int == 5)
      let scenarios = try #require(json["scenarios"] as? [String: Int])
      #expect(scenarios["unexpected"] == 0 && scenarios["asExpected"] ?? 0 > 100)
      let faults = try #require(json["faults"] as? [String: Any])
      #expect(faults["armed"] as? Int == faults["fired"] as? Int)
      #expect((faults["neverFired"] as? [String])?.isEmpty == true)
      let states = try #require(json["crashStates"] as? [String: Int])
      #expect(Set(states.keys) == ["origins", "images", "outcomes"])
      #expect((json["findings"] as? [Any])?.isEmpty == true)
      #expect((json["explored"] as? [[String: Any]])?.first?["store"] as? String == "durable")
      #expect(json["phones"] as? [String] == ["ios"])
      let stores = ["chunked", "durable", "healing", "keychain-only", "recipe"]
      #expect(json["stores"] as? [String] == stores)
      #expect((json["canary"] as? [String: Any])?["caught"] as? Bool == true)
      #expect(!user.exists("lab-findings"))
      try user.write(one.output, to: "one.json")
      try user.expectValid(["chaos"], in: (files + ["one.json"]).joined(separator: " "))
    }

    /// The report of a campaign has its gallery, its searches and the canary.
    private func expectJUnit() throws {
      #expect(try user.xpath("/testsuites/@failures") == "0")
      #expect(try user.xpath("count(//testsuite[@name=\"canary\"]/testcase)") == "1")
      #expect(try user.xpath("count(//testsuite[@name=\"random histories\"]/testcase)") == "1")
      let tests = try #require(Int(try user.xpath("/testsuites/@tests")))
      #expect(tests > 400)
    }

    @Test func `of a comparison is the same for one process, two, and merged shards`() throws {
      let one = try lab(Self.compare + ["--jobs", "1"])
      #expect(one.code == 0, "\(one.errors)")
      #expect(try lab(Self.compare + ["--jobs", "2"]).output == one.output)
      let files = try shards(of: Self.compare, count: 3)
      #expect(try lab(["merge", "--json"] + files.reversed()).output == one.output)
      let table = try lab(["merge", "--html", "page.html"] + files)
      let shares = table.output.replacing("\n", with: " ").firstMatch(
        of: #/failed states: recipe in [0-9]+ of/#)
      #expect(table.code == 0 && shares != nil, "\(table.output)")
      #expect(try user.read("page.html").contains(shares?.output ?? "?"))
      let twice = try lab(["merge"] + files + [files[0]])
      #expect(twice.code == 2)
      #expect(twice.errors.hasPrefix("compare-1.json: shard 1/3 again"))
      let missing = try lab(["merge"] + files.dropLast())
      #expect(missing.code == 2)
      #expect(missing.errors.contains("these are missing: 3"))
      // As if it had been interrupted before its first unit.
      let cut = try user.read(files[0]).replacing("\"unit\": 0\n", with: "\"unit\": 99\n")
      try user.write(cut, to: "x.json")
      let partial = try lab(["merge", "x.json"] + files.dropFirst())
      #expect(partial.code == 2)
      #expect(partial.errors.hasPrefix("x.json: shard 1/3 did not end: 1 unit is missing"))
    }

    @Test func `of a store that loses sessions is a finding, however it is shared`() throws {
      let words = [
        "chaos", "--tier", "simulated", "--phone", "ios", "--store", "recipe", "--seed", "7",
        "--effort", "1s",
      ]
      let one = try lab(words + ["--json"])
      #expect(one.code == 1)
      let findings = try #require(try one.json()["findings"] as? [[String: Any]])
      #expect(!findings.isEmpty)
      #expect(findings.contains { ($0["case"] as? String)?.hasPrefix("kill behind") == true })
      let replay = try #require(findings.last?["replay"] as? String)
      #expect(try user.shell("lab " + replay.dropFirst("./lab ".count)).code == 0)
    }

    @Test(arguments: ["0/4", "5/4", "x", "1/0"]) func `refuses a shard that there is not`(
      shard: String
    ) throws {
      for command in ["chaos", "compare"] {
        let ended = try lab([command, "--seed", "1", "--shard", shard])
        #expect(ended.code == 64, "\(command) \(ended.errors)")
      }
      #expect(try user.lab("compare", "--shard", "auto").code == 64)
      #expect(try user.lab("chaos", "--shard", "1/2").errors.contains("--seed"))
    }

    @Test func `takes its shard from what a scheduler sets`() throws {
      let words = "compare --phone ios --store recipe --faults lock,reboot --json --shard"
      let variables = "LAB_SHARD_INDEX=1 LAB_SHARD_COUNT=2"
      let ended = try user.shell("\(variables) lab \(words) auto")
      #expect(ended.code == 0)
      #expect(try user.shell("lab \(words) 2/2").output == ended.output)
      #expect(try user.shell("lab \(words) 1/2").output != ended.output)
    }

    @Test func `ends with its budget, and names what it had no time for`() throws {
      let words = [
        "chaos", "--tier", "simulated", "--phone", "ios", "--seed", "5", "--budget", "0s",
      ]
      let ended = try lab(words)
      #expect(ended.code == 3)
      let line = try #require(ended.lines.first { $0.hasPrefix("LEFT OUT ") })
      #expect(line.contains("exploration 1 of 1, random 1 of 1, canary 1 of 1"), "\(line)")
      #expect(ended.output.contains("The budget was over before the canary was tried: no pass."))
      let document = try lab(words + ["--json"]).json()
      let phases = document.objects("leftOut").compactMap { $0["phase"] as? String }
      #expect(phases == ["gallery", "exploration", "random", "canary"])
      #expect(try lab(["chaos", "--effort", "2d"]).code == 64)
    }

    // MARK: - Bad luck

    /// A campaign that takes long, with two children at work.
    private func longCampaign() throws -> (running: Running, children: [Int32]) {
      let running = try user.begin(
        "chaos", "--tier", "simulated", "--jobs", "2", "--seed", "1", "--effort", "10m")
      var children: [Int32] = []
      let areThere = try eventually {
        children = try user.shell("pgrep -P \(running.id)").lines.compactMap { Int32($0) }
        return children.count == 2
      }
      try #require(areThere, "\(running.errors)")
      return (running, children)
    }

    private func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 }

    @Test func `names a child that dies, and ends with a defect of the lab`() throws {
      let (running, children) = try longCampaign()
      kill(children[0], SIGKILL)
      let isSaid = eventually(seconds: 60) { running.errors.contains("was ended by signal 9") }
      #expect(isSaid || !running.isRunning)
      running.send(SIGTERM)
      let ended = try running.wait()
      #expect(ended.code == 70)
      #expect(ended.errors.contains("of 2 (shard "))
      #expect(ended.errors.contains("while it did: "))
      #expect(["canary", "gallery"].contains { ended.errors.contains("while it did: \($0)") })
    }

    @Test func `stops with its children when somebody wants it to, and says what was found`() throws
    {
      let (running, children) = try longCampaign()
      running.send(SIGINT)
      let ended = try running.wait()
      #expect(ended.code == 130)
      #expect(ended.output.contains("INTERRUPTED. No findings so far is no pass."))
      #expect(!children.contains(where: isAlive))
    }

    @Test func `leaves no child when it is killed`() throws {
      let (running, children) = try longCampaign()
      running.send(SIGKILL)
      _ = try running.wait()
      #expect(eventually { !children.contains(where: isAlive) })
    }
  }
}
