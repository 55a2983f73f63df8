import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `Bad luck` {
    private let user: User

    init() throws {
      user = try User()
    }

    /// One line on stderr that begins so, nothing on stdout, and 2.
    private func expectRefusal(
      _ ended: Ended, _ line: String, _ location: SourceLocation = #_sourceLocation
    ) {
      #expect(ended.code == 2, sourceLocation: location)
      #expect(ended.output.isEmpty, sourceLocation: location)
      #expect(ended.errors == "lab: \(line)\n", sourceLocation: location)
    }

    @Test func `a mount point that cannot be one is refused and left as it is`() throws {
      try user.shell("mkdir full && touch full/x file")
      expectRefusal(
        try user.lab("mount", "full"),
        "folder not empty: \(user.folder)/full; choose an empty or a new one")
      expectRefusal(
        try user.lab("mount", "file"),
        "not a folder: \(user.folder)/file; choose another mount point")
      expectRefusal(
        try user.lab("mount", "a/b"), "no such folder: a; create it first")
      #expect(try user.shell("ls -A . full").output == ".:\nfile\nfull\n\nfull:\nx\n")
      #expect(try user.lab("status").output == "no phone is mounted\n")
    }

    @Test(arguments: [
      ("bit-flip --path manifest.json --byte 27", "byte 27 is behind the end: ", ", 0 to 26"),
      ("truncate --path manifest.json --to 28", "to 28 is behind the end: ", " has 27 bytes"),
      ("bit-flip --path '**' --byte 0", "path '**' names ", "name one of: /"),
      ("bit-flip --path nothing", "no file 'nothing' on", " the phone"),
    ])
    func `a fault that cannot hit its file says which value does not fit, and what would`(
      words: String, begin: String, part: String
    ) throws {
      let phone = try user.mount("my-phone")
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      let ended = try user.shell("lab inject \(words)")
      #expect(ended.code == 2 && ended.output.isEmpty)
      #expect(ended.errors.hasPrefix("lab: \(begin)"), "\(ended.errors)")
      #expect(ended.errors.contains(part), "\(ended.errors)")
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test func `a runtime folder that cannot be used is named, with what to do`() throws {
      let gone = "\(user.folder)/gone"
      expectRefusal(
        try user.lab("mount", "p", environment: ["XDG_RUNTIME_DIR": gone]),
        "\(gone) does not exist, and XDG_RUNTIME_DIR names it.  do: unset XDG_RUNTIME_DIR, or "
          + "mkdir -p -m 700 \(gone)")
      for (name, command) in [("lab", "status"), ("lab-lanes", "run torn-save --store recipe")] {
        try user.shell("mkdir -p $XDG_RUNTIME_DIR/\(name) && chmod 777 $XDG_RUNTIME_DIR/\(name)")
        let refused = try user.shell("lab \(command)")
        #expect(refused.code == 2)
        #expect(
          refused.errors.contains("/\(name) is not safe to use: others may enter.  do: chmod 700 /")
        )
        let doctor = try user.lab("doctor")
        #expect(doctor.code == 2 && doctor.output.contains("MISSING  a private runtime folder"))
        #expect(doctor.output.contains("/\(name)   (/"), "\(doctor.output)")
        try user.shell("chmod 700 $XDG_RUNTIME_DIR/\(name)")
        #expect(try user.lab("doctor").output.contains("a private runtime folder, "))
      }
    }

    @Test func `a second mount on the same folder is refused`() throws {
      let phone = try user.mount("my-phone")
      for name in ["my-phone", "./my-phone/"] {
        expectRefusal(
          try user.lab("mount", name),
          "already mounted: \(user.folder)/my-phone; unmount it or choose another folder")
      }
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test func `of two mounts on one folder at once, one is refused`() throws {
      for _ in 0..<3 {
        let both = [try user.begin("mount", "my-phone"), try user.begin("mount", "my-phone")]
        #expect(eventually { both.contains { !$0.isRunning } })
        let lost = try #require(both.first { !$0.isRunning })
        let won = try #require(both.first { $0 !== lost })
        #expect(eventually { won.output.contains("mounted at") })
        #expect(lost.errors.contains("already mounted: "))
        #expect(try lost.wait().code == 2)
        #expect(user.mounts.count == 1)
        #expect(try user.lab("unmount").code == 0)
        #expect(try won.wait().code == 0)
      }
    }

    @Test func `an unknown phone, and one of several that was not named`() throws {
      let phones = [try user.mount("a")]
      expectRefusal(
        try user.lab("faults", "--on", "nope"),
        "no phone 'nope' is mounted.  do: lab mount my-phone &")
      let both = phones + [try user.mount("b")]
      expectRefusal(
        try user.lab("faults"),
        "several phones are mounted: name one of a, b.  do: add --on NAME")
      #expect(try user.lab("faults", "--on", "b").output == "no fault is armed on b\n")
      #expect(try user.lab("faults", "--on", "./a").output == "no fault is armed on a\n")
      for name in ["a", "b"] { #expect(try user.lab("unmount", "--on", name).code == 0) }
      for phone in both { #expect(try phone.wait().code == 0) }
    }

    @Test func `a phone that was killed leaves nothing, and the next command says so`() throws {
      let phone = try user.mount("my-phone")
      let guest = try user.begin("with", "lock", "--", "sleep", "2")
      #expect(try eventually { try user.read("my-phone/.lab/status.json").contains("sleep") })
      #expect(user.processes.contains { $0.contains("keychain.sock") })
      phone.send(SIGKILL)
      #expect(try phone.wait().code == 137)
      #expect(eventually { user.mounts.isEmpty })
      #expect(eventually { user.processes.isEmpty }, "\(user.processes)")
      #expect(try user.lab("status").output == "no phone is mounted\n")
      let ended = try guest.wait()
      #expect(ended.code == 2 && ended.output.isEmpty)
      #expect(ended.errors.hasPrefix("lab: the phone 'my-phone' is gone: "), "\(ended)")
      #expect(ended.errors.hasSuffix(".  do: lab status\n"))
      #expect(try user.shell("ls -A my-phone").output.isEmpty)
      let next = try user.mount("my-phone")
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      #expect(try user.lab("unmount").code == 0)
      #expect(try next.wait().code == 0)
    }

    @Test func `a chaos that was killed leaves nothing, and the next run works`() throws {
      let chaos = try user.begin("chaos", "--seed", "1")
      #expect(eventually { user.processes.count > 2 && !user.mounts.isEmpty })
      chaos.send(SIGKILL)
      #expect(try chaos.wait().code == 137)
      #expect(eventually { user.mounts.isEmpty && user.processes.isEmpty }, "\(user.processes)")
      #expect(try user.lab("run", "locked-read", "--store", "recipe").code == 0)
      #expect(try user.shell("ls -A \"$XDG_RUNTIME_DIR/lab-mounts\"").output.isEmpty)
    }

    @Test(
      .enabled(if: geteuid() == 0, "a mount namespace of one's own needs root"),
      arguments: [
        ("mount --bind /dev/null /dev/fuse", "the device is masked"),
        ("mount -t tmpfs none /dev", "there is no device"),
      ])
    func `without FUSE each command says what to do`(setup: String, meaning: String) throws {
      let missing =
        "lab: cannot mount: /dev/fuse is missing.  do: sudo modprobe fuse   "
        + "(in a container: lab doctor)\n"
      for command in [
        "mount my-phone", "run --tier mounted torn-save", "chaos --tier mounted",
        "chaos --tier both",
        "selftest --tier mounted", "selftest --tier both",
      ] {
        let ended = try user.shell("unshare -m sh -c '\(setup) && lab \(command)'")
        #expect(ended.code == 2 && ended.output.isEmpty, "\(meaning), \(command)")
        #expect(ended.errors == missing, "\(meaning), \(command)")
      }
      let run = try user.shell("unshare -m sh -c '\(setup) && lab run torn-save --store recipe'")
      let less =
        "MOUNTED TIER NOT RUN: /dev/fuse is missing; simulated only (--tier both makes this an error)"
      #expect(run.code == 0 && run.errors == "\(less)\n")
      #expect(run.lines.count { $0 == less } == 1)
      let selftest = try user.shell(
        "unshare -m sh -c '\(setup) && lab selftest --twin retry-storm --budget 15s'")
      #expect(selftest.code == 0 && selftest.errors.hasPrefix("\(less)\n"))
      #expect(selftest.lines.count { $0 == less } == 1)
      let doctor = try user.shell("unshare -m sh -c '\(setup) && lab doctor'")
      #expect(doctor.code == 2)
      #expect(
        doctor.lines.contains(
          "  MISSING  /dev/fuse        blocks: mount; chaos, run and selftest go on, simulated tier only"
        )
      )
      #expect(
        doctor.lines.contains(
          "           do:              sudo modprobe fuse   (container: --device /dev/fuse --cap-add "
            + "SYS_ADMIN)"))
      #expect(
        doctor.lines.last?.hasSuffix(". Fully usable: explore, compare, bench crypto.") == true,
        "\(doctor.output)")
      #expect(doctor.lines.allSatisfy { $0.count <= 100 })
      #expect(!user.exists("my-phone"))
    }

    @Test func `a machine without node hears of it as advice`() throws {
      let user = try User()
      let lab = try #require(try user.shell("command -v lab").lines.first)
      let all = try user.lab("doctor")
      #expect(all.code == 0)
      #expect(all.lines.first?.hasPrefix("  ok       swift ") == true, "\(all.output)")
      for name in ["fuse3 ", "openssl ", "sqlite ", "libevent ", "no stale mount"] {
        #expect(all.output.contains(name))
      }
      try user.shell("mkdir bin; ln -s $(command -v fusermount3) bin/")
      let ended = try user.shell("PATH=$PWD/bin \(lab) doctor")
      #expect(ended.code == 0)
      #expect(
        ended.lines.contains(
          "  advice   node 18.19+      only for JavaScript stores; everything else works without it"
        ),
        "\(ended.output)")
      #expect(ended.output.contains("1 advice. Everything works."))
    }

    @Test func `a reader that leaves early is no trouble`() throws {
      let first = try user.shell("lab list errors | head -1")
      #expect(first.lines.count == 1 && first.errors.isEmpty)
      // Gone before the first line, so that the end does not depend on who is faster.
      let ended = try user.shell(
        "(until [ -e gone ]; do :; done; lab list errors; echo $? >code) | (exec <&-; touch gone)")
      #expect(ended.errors.isEmpty)
      #expect(try user.read("code") == "141\n")
    }

    /// What a terminal of some width shows; its line ends are a carriage return and a line feed.
    private func terminal(_ columns: Int, _ command: String) throws -> [String] {
      let ended = try user.shell("script -qec 'stty cols \(columns); \(command)' /dev/null")
      return ended.output.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
    }

    @Test func `colour is for terminals, and NO_COLOR is obeyed`() throws {
      let command = "lab run locked-save --store recipe --case K0"
      #expect(try user.shell(command).output.contains("\u{1B}") == false)
      let colored = try terminal(100, "lab run locked-save --store recipe")
      #expect(colored.contains { $0.contains("\u{1B}[") })
      let plain = try terminal(100, "NO_COLOR=1 lab run locked-save --store recipe")
      #expect(plain.contains { $0.contains("keep") })
      #expect(!plain.contains { $0.contains("\u{1B}") })
    }

    @Test func `a terminal of 79 columns is not overrun`() throws {
      for command in [
        "run locked-save", "list faults", "list errors", "list settings", "doctor", "status",
      ] {
        let lines = try terminal(79, "NO_COLOR=1 lab \(command)")
        #expect(!lines.isEmpty)
        #expect(lines.filter { $0.count > 79 } == [], "\(command)")
      }
    }
  }
}
