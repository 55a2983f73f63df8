import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `The exit code` {
    /// A scenario of one's own: a save of `recipe` that is hit by a fault.
    private static func scenario(_ fault: String, expecting verdict: String) -> String {
      """
      {
        schema: "lab.scenario/1",
        title: "Mine",
        phones: ["ios"],
        stores: ["recipe"],
        story: "The app is killed while it saves.",
        steps: [
          { do: "sign-in" },
          { do: "refresh", to: 2, fault: "\(fault)" },
          { do: "launch" },
        ],
        expect: { good: { "*": ["\(verdict)"] } },
      }

      """
    }

    @Test func `is 0 when a scenario shows what its file says`() throws {
      let user = try User()
      try user.write(Self.scenario("kill@K1", expecting: "falseSignOut"), to: "mine.json5")
      let ended = try user.lab("run", "mine.json5")
      #expect(ended.code == 0 && ended.errors.isEmpty)
      #expect(ended.lines.contains("  all   falseSignOut *"))
      #expect(
        ended.lines.contains("2 runs, all as expected; 1 fault armed, 1 fired, 0 never fired"))
    }

    @Test func `is 1 for a finding, and the line that it ends with shows it again`() throws {
      let user = try User()
      try FileManager.default.createDirectory(
        atPath: "\(user.folder)/mine", withIntermediateDirectories: false)
      try user.write(Self.scenario("kill@K1", expecting: "keep"), to: "mine/one.json5")
      let ended = try user.lab("run", "mine")
      #expect(ended.code == 1 && ended.errors.isEmpty)
      #expect(ended.lines.contains("FINDING 1 of 1  falseSignOut  one, all  ios  store recipe"))
      #expect(ended.lines.contains("  its file expects: keep"))
      let replay = try #require(ended.lines.first { $0.hasPrefix("replay: ") })
      #expect(replay == "replay: lab run mine/one.json5 --store recipe --seed 1")
      let again = try user.shell(replay.replacing("replay: lab", with: "lab"))
      #expect(again.code == 1)
      #expect(again.output == ended.output)
    }

    @Test func `is 2 for a file with a slip, and nothing is run`() throws {
      let user = try User()
      try user.write(Self.scenario("kill@K1", expecting: "keep"), to: "good.json5")
      try user.write(Self.scenario("kill@K1", expecting: "recovr"), to: "bad.json5")
      let ended = try user.lab("run", "good.json5", "bad.json5")
      #expect(ended.code == 2 && ended.output.isEmpty)
      let lines = ended.errors.split(separator: "\n").map(String.init)
      #expect(lines.first == "bad.json5:12:28: unknown verdict 'recovr'; nearest: recover")
      #expect(lines.dropFirst().first == #"  12 |   expect: { good: { "*": ["recovr"] } },"#)
      #expect(lines.dropFirst(2).first == "     |                            ^^^^^^")
      #expect(
        lines.last == "Nothing was run: all files are checked before the first one starts.")
    }

    @Test func `is 2 when an event fired that could not happen, and says so`() throws {
      let user = try User()
      try user.write(Self.scenario("install@K1", expecting: "keep"), to: "mine.json5")
      let ended = try user.lab("run", "mine.json5")
      #expect(ended.code == 2)
      #expect(ended.errors.contains("install at K1 (key written)"))
      #expect(ended.errors.contains("the app is installed already"))
      #expect(user.mounts.isEmpty && user.processes.isEmpty)
    }

    @Test func `is 3 when an armed fault never fired`() throws {
      let user = try User()
      try user.write(Self.scenario("kill@R1", expecting: "keep"), to: "mine.json5")
      let ended = try user.lab("run", "mine.json5")
      #expect(ended.code == 3)
      #expect(ended.lines.contains("  all   ! never fired"))
      #expect(
        ended.errors == """
          NEVER FIRED  kill at R1 (recovery ends), line 9
            mine, all, ios, store recipe: the run shows keep; that proves nothing
            reached: S0 (save begins), K0 (before the key), K1 (key written), B0 (before the blob), B1 (blob
              written), S1 (save acknowledged), E1 (event emitted)
            likely why: only a read that finds half a save begins a recovery, in a store that mends it
            try: "kill@each" (follows what is really reached)

          """)
      #expect(ended.lines.last == "next: lab run mine.json5   (after the change)")
    }

    @Test(arguments: [
      (
        "kill@M1", "likely why: on ios a second save of a long value leaves the manifest untouched",
        #"try: "kill@each" (follows what is really reached), or arm it in line 8, which comes there"#
      ),
      (
        "kill@K1#2", "likely why: the step comes there once, and the fault waits for time 2",
        #"try: "kill@each" (follows what is really reached)"#
      ),
      (
        "kill@rename:nothing", "rename call, 0 of them of nothing",
        #"try: "kill@rename:*" (any file)"#
      ),
    ]) func `is 3 with a likely why, and what to write instead`(
      fault: String, why: String, advice: String
    ) throws {
      let user = try User()
      try user.write(Self.scenario(fault, expecting: "keep"), to: "mine.json5")
      let ended = try user.lab("run", "mine.json5", "--tier", "simulated")
      #expect(ended.code == 3)
      let errors = ended.errors.split(separator: "\n")
      #expect(errors.contains { $0.contains(why) }, "\(ended.errors)")
      #expect(errors.last == "  \(advice)", "\(ended.errors)")
      #expect(errors.allSatisfy { $0.count <= 100 })
    }

    @Test func `is 3 of a store that never touches that half`() throws {
      let user = try User()
      let file = Self.scenario("kill@B1", expecting: "keep")
        .replacing(#"["recipe"]"#, with: #"["keychain-only"]"#)
      try user.write(file, to: "mine.json5")
      let ended = try user.lab("run", "mine.json5", "--tier", "simulated")
      #expect(ended.code == 3)
      #expect(
        ended.errors.contains("likely why: the store keychain-only never touches the blob half"))
    }

    /// What is meant as alternatives.
    @Test func `is 2 for more verdicts than anybody looks, with the place`() throws {
      let user = try User()
      try user.write(Self.scenario("kill@K1", expecting: #"keep", "recover"#), to: "mine.json5")
      let ended = try user.lab("run", "mine.json5")
      #expect(ended.code == 2 && ended.output.isEmpty)
      #expect(
        ended.errors.hasPrefix(
          "mine.json5:12:36: 2 verdicts expected, and the steps give 1 at most; alternatives are "
            + "written \"keep|recover\"\n"), "\(ended.errors)")
      try user.write(Self.scenario("kill@K1", expecting: "keep|falseSignOut"), to: "mine.json5")
      #expect(try user.lab("run", "mine.json5", "--tier", "simulated").code == 0)
    }

    @Test func `is 1 for a verdict that is good and not expected, which is called so`() throws {
      let user = try User()
      try user.write(Self.scenario("kill@B1", expecting: "recover"), to: "mine.json5")
      let ended = try user.lab(
        "run", "mine.json5", "--tier", "simulated", "--html", "mine.html", "--color", "always")
      #expect(ended.code == 1)
      #expect(
        ended.lines.contains("FINDING 1 of 1  unexpected keep  mine, all  ios  store recipe"),
        "\(ended.output)")
      #expect(ended.output.contains("\u{1B}[94m! keep"))
      let page = try user.shell("cat mine.html").output
      #expect(page.contains("1 finding: unexpected keep"))
      #expect(page.contains(#"class="card good""#) && !page.contains(#"class="word fail""#))
    }

    @Test func `is 1 for another number of verdicts, which is said`() throws {
      let user = try User()
      let file = Self.scenario("kill@K1", expecting: "reject|keep")
        .replacing(#"["reject|keep"]"#, with: #"["reject", "keep"]"#)
        .replacing("kill@K1", with: "kill@B1")
      try user.write(file, to: "mine.json5")
      let ended = try user.lab("run", "mine.json5", "--tier", "simulated")
      #expect(ended.code == 1)
      #expect(
        ended.lines.contains(
          "  2 verdicts expected, this run gave 1; alternatives are written \"keep|recover\""),
        "\(ended.output)")
    }

    /// Controls alone, which run as they should, prove nothing.
    @Test func `is 3 when no case was run`() throws {
      let user = try User()
      let file = """
        { schema: "lab.scenario/1", title: "T", phones: ["ios"], story: "S.",
          steps: [ { do: "sign-in" },
            { do: "clock", by: "1h", fault: "kill@each" }, { do: "launch" } ],
          expect: { good: { "*": ["keep"] }, healing: { "*": null } } }
        """
      try user.write(file, to: "mine.json5")
      let each = try user.lab("run", "mine.json5", "--tier", "simulated", "--junit", "report.xml")
      let words = "mine.json5: no case was run: kill@each in line 3 came to no point"
      #expect(each.code == 3)
      #expect(each.errors.contains("NEVER FIRED  \(words). That proves nothing.\n"))
      #expect(each.lines.last?.hasSuffix("0 fired, 1 never fired") == true)
      #expect(try user.shell("cat report.xml").output.contains(words))
      // A store that does not come to the point of a scenario is none to be sure of either.
      let alone = try user.lab(
        "run", "killed-healing", "--tier", "simulated", "--store", "recipe", "--phone", "ios")
      #expect(alone.code == 3 && alone.errors.contains("no case was run"), "\(alone.errors)")
      let both = try user.lab(
        "run", "killed-healing", "--tier", "simulated", "--store", "recipe", "--store", "healing")
      #expect(both.code == 0)
    }

    @Test func `names file and line of a step that cannot be done`() throws {
      let user = try User()
      let file = """
        { schema: "lab.scenario/1", title: "T", phones: ["ios"], story: "S.",
          settings: { client: "seed" },
          steps: [ { do: "sign-in" },
            { fault: "revoke-session", user: "nobody@example.com" },
            { do: "launch" } ],
          expect: { good: { "*": ["keep"] } } }
        """
      try user.write(file, to: "mine.json5")
      let ended = try user.lab("run", "mine.json5", "--tier", "simulated", "--store", "recipe")
      #expect(ended.code == 2)
      #expect(
        ended.errors.contains("mine.json5:4: no account 'nobody@example.com'"), "\(ended.errors)")
    }

    @Test(arguments: [
      (["lits"], "no command 'lits'; nearest: list"),
      (["run", "torn-sav"], "no scenario or file 'torn-sav'; nearest: torn-save"),
      (["schema", "run"], "no schema 'run'; nearest: lab.run/1"),
      (["list", "fault"], "no list 'fault'; nearest: faults"),
      (["chaos", "--json", "c.json"], "no 'c.json'; --json prints to stdout: --json > c.json"),
      (["bench", "--json", "c.json"], "--json prints to stdout: --json > c.json"),
      (["run", "--json", "c.json"], "--json prints to stdout: --json > c.json"),
      (["ui", "mp3"], "ui takes no 'mp3'; a phone is named with --on mp3"),
      (["inject", "fill-disk"], "no fault 'fill-disk'; nearest: disk-full"),
      (["inject", "keychian-reset"], "no fault 'keychian-reset'; nearest: keychain-reset"),
      (["app", "--store", "recip", "get"], "--store: no 'recip'; nearest: recipe"),
      (["app", "--store", "recipe", "sing-in"], "no app command 'sing-in'; allowed: sign-in"),
      (["app", "get"], "app needs --store"),
      (["chaos", "--buget", "1s"], "chaos has no option '--buget'; nearest: --budget"),
      (["chaos", "--budget", "1x"], "--budget"),
      (["run", "--seed", "1", "--seed", "2"], "--seed is given twice"),
      (["run", "--store", "recipe", "--store", "recipe"], "--store recipe is given twice"),
      (["run", "locked-save", "--case", "K7"], "no case with the part 'K7'"),
      (["mount"], "mount needs DIR"), (["mount", ""], "mount needs DIR"),
      (["mount", "a", "b"], "mount takes no 'b'"),
      (["with", "kill@K1"], "with needs -- COMMAND..."),
      (["with", "kill@K9", "--", "true"], "no point 'K9'"),
    ]) func `is 64 for a wrong word, with the nearest right one`(
      words: [String], message: String
    ) throws {
      let user = try User()
      let ended = try user.shell(
        "lab " + words.map { "'\($0)'" }.joined(separator: " "))
      #expect(ended.code == 64 && ended.output.isEmpty)
      let lines = ended.errors.split(separator: "\n")
      #expect(lines.first?.hasPrefix("lab: ") == true)
      #expect(lines.first?.contains(message) == true, "\(ended.errors)")
      #expect(lines.last?.hasPrefix("help: lab ") == true)
    }

    @Test func `is 64 when no scenario is for the store`() throws {
      let user = try User()
      try user.write(Self.scenario("kill@K1", expecting: "keep"), to: "mine.json5")
      let ended = try user.lab("run", "mine.json5", "--store", "healing")
      #expect(ended.code == 64 && ended.output.isEmpty)
      #expect(ended.errors.hasPrefix("lab: nothing to run: "))
    }

    @Test(arguments: [
      ["run"], ["run", "--json"], ["chaos", "--seed", "3"],
    ]) func `is 130 after Ctrl-C, and nothing is left`(words: [String]) throws {
      let user = try User()
      let running = try user.begin(words)
      #expect(eventually { user.processes.count > 2 })
      running.send(SIGINT)
      let ended = try running.wait()
      #expect(ended.code == 130)
      #expect(ended.errors.contains("stopping"))
      #expect(!ended.output.contains("CANARY NOT CAUGHT"))
      if words.contains("--json") {
        #expect(try ended.json()["schema"] as? String == "lab.run/1")
      } else {
        #expect((ended.output + ended.errors).contains("INTERRUPTED"))
        #expect(!ended.output.contains(/\b0 runs/))
        #expect(ended.errors.hasSuffix("again: lab \(words.joined(separator: " "))\n"))
        let hasRuns = ended.errors.contains("INTERRUPTED after ") && ended.errors.contains(" of ")
        #expect(hasRuns == (words[0] == "run"), "\(ended.errors)")
      }
      #expect(user.mounts.isEmpty && user.processes.isEmpty)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 0)])
    func `of a mount is 130 after Ctrl-C and 0 after SIGTERM`(signal: Int32, code: Int) throws {
      let user = try User()
      let phone = try user.mount("my-phone")
      phone.send(signal)
      let ended = try phone.wait()
      #expect(ended.code == Int32(code))
      #expect(ended.errors.hasSuffix("my-phone is being unmounted\n"))
      #expect(user.mounts.isEmpty && user.processes.isEmpty && !user.exists("my-phone"))
    }

    @Test func `of a mount under timeout is timeout's own, and its folder goes too`() throws {
      let user = try User()
      // The signal comes twice: to the program, and to its group.
      #expect(try user.shell("timeout 1 lab mount my-phone").code == 124)
      #expect(!user.exists("my-phone"))
      #expect(user.mounts.isEmpty && user.processes.isEmpty)
    }

    @Test func `of unmount and mount is 3 while a fault still waits`() throws {
      let user = try User()
      let phone = try user.mount("my-phone")
      try user.lab("inject", "kill@K1")
      let ended = try user.lab("unmount")
      #expect(ended.code == 3)
      #expect(ended.output == "my-phone is unmounted\n")
      #expect(ended.errors == "NEVER FIRED  kill at K1 (key written)\n")
      #expect(try phone.wait().code == 3)
    }

    @Test func `of with is the command's own, unless the fault never fired`() throws {
      let user = try User()
      let phone = try user.mount("my-phone")
      try user.lab("app", "--store", "keychain-only", "sign-in")
      #expect(try user.lab("with", "lock", "--", "sh", "-c", "exit 7").code == 7)
      #expect(try user.lab("status").output.contains("my-phone  ios  unlocked"))
      let error = try user.lab(
        "with", "call-error@write:*note", "--code", "ENOSPC", "--", "sh", "-c",
        "dd if=/dev/zero of=my-phone/note count=1 || exit 9")
      #expect(error.code == 9)
      #expect(error.errors.contains("No space left on device"))
      let never = try user.lab("with", "kill@K1", "--", "sh", "-c", "exit 7")
      #expect(never.code == 3)
      #expect(
        never.errors == "NEVER FIRED  kill@K1. What the command showed proves nothing.\n")
      let missing = try user.lab("with", "lock", "--", "no-such-program")
      #expect(missing.code == 2)
      #expect(
        missing.errors == "lab: spawn no-such-program: No such file or directory\n")
      #expect(try user.lab("app", "--store", "keychain-only", "get").code == 0)
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test(arguments: [
      "chaos", "run", "mount", "unmount", "status", "app", "inject", "with", "faults", "reset",
      "snapshot", "restore", "list", "serve", "doctor",
    ]) func `of help is 0, and its page fits 80 columns`(command: String) throws {
      let ended = try User().lab(command, "--help")
      #expect(ended.code == 0 && ended.errors.isEmpty)
      #expect(ended.lines.first == "NAME")
      #expect(ended.lines.contains("EXIT STATUS"))
      #expect(ended.lines.allSatisfy { $0.count <= 80 })
    }
  }
}
