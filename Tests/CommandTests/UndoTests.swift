import Testing

extension Commands.Phones {
  @Suite struct `What a fault took from a live phone` {
    private let user: User

    init() throws { user = try User() }

    private func app(_ command: String) throws -> Ended {
      try user.lab("app", "--store", "recipe", command)
    }

    private func end(_ phone: Running) throws {
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    /// The words of a fault, with the file that the blob cannot be read without where it needs one.
    private func words(_ fault: String, on kind: String) -> [String] {
      let needsPath = ["bit-flip", "truncate"].contains(fault)
      let path = kind == "ios" ? "manifest.json" : "RKStorage"
      return ["inject", fault] + (needsPath ? ["--path", path] : [])
    }

    @Test(arguments: [
      ("ios", ["keychain-reset", "power-cut", "uninstall", "bit-flip", "truncate"]),
      (
        "android",
        ["keystore-loss", "clear-data", "power-cut", "uninstall", "bit-flip", "truncate"]
      ),
    ])
    func `comes back with the line that undoes it`(kind: String, faults: [String]) throws {
      let phone = try user.mount("my-phone", "--phone", kind)
      for fault in faults {
        #expect(try app("sign-in").code == 0)
        let saved = try app("get").output
        #expect(saved.hasPrefix("signed in: generation 1, "))
        let injected = try user.shell(
          "lab \(words(fault, on: kind).joined(separator: " "))")
        #expect(injected.code == 0, "\(kind) \(fault): \(injected.errors)")
        #expect(injected.errors == "undo: lab restore before-\(fault)\n", "\(kind) \(fault)")
        #expect(try app("get").output != saved, "\(kind) \(fault) took nothing")
        let undone = try user.shell(String(injected.errors.dropFirst("undo: ".count)))
        #expect(undone.code == 0, "\(kind) \(fault): \(undone.errors)")
        #expect(undone.errors.hasPrefix("undo: lab restore before-restore"), "\(kind) \(fault)")
        #expect(undone.output.contains("  is back   "), "\(kind) \(fault): \(undone.output)")
        #expect(try app("get").output == saved, "\(kind) \(fault)")
        #expect(try user.lab("status").output.contains("before-\(fault)   all, taken by itself"))
        #expect(try user.lab("reset", "--device").code == 0)
      }
      try end(phone)
    }

    @Test func `comes back after a restore and a reset, too, which can both be undone`() throws {
      let phone = try user.mount("my-phone")
      #expect(try app("sign-in").code == 0)
      let first = try app("get").output
      #expect(try user.lab("snapshot", "a b").errors == "next: lab restore 'a b'\n")
      #expect(try app("refresh").code == 0)
      let second = try app("get").output
      #expect(second.hasPrefix("signed in: generation 2, ") && second != first)
      for (command, name) in [
        ("restore 'a b' --half blob", "restore"), ("reset --device", "reset"),
      ] {
        let done = try user.shell("lab \(command)")
        #expect(done.code == 0 && done.errors == "undo: lab restore before-\(name)\n", "\(done)")
        #expect(try app("get").output != second, "\(command) took nothing")
        #expect(try user.shell(String(done.errors.dropFirst("undo: ".count))).code == 0)
        #expect(try app("get").output == second, "\(command)")
        #expect(try user.lab("faults").code == 0)
      }
      try end(phone)
    }

    @Test func `is under a name that can be printed and typed`() throws {
      let phone = try user.mount("my-phone")
      let long = String(repeating: "n", count: 64)
      for name in ["", "a/b", "a\nb", "a\u{1B}[31mb", "\u{202E}a", long + "n"] {
        let refused = try user.lab("snapshot", name)
        #expect(refused.code == 64, "\(name)")
        #expect(
          refused.errors
            == "lab: a snapshot's NAME has 1 to 64 characters, none of them '/' or a control character\n"
            + "help: lab snapshot --help\n", "\(name)")
      }
      for name in [long, "it's mine", "größe"] {
        let taken = try user.lab("snapshot", name)
        #expect(taken.code == 0, "\(name)")
        #expect(try user.shell(String(taken.errors.dropFirst("next: ".count))).code == 0, "\(name)")
      }
      try end(phone)
    }

    @Test func `is nothing after a fault that removes nothing, and no line undoes that`() throws {
      let phone = try user.mount("my-phone")
      for fault in ["keychain-reset", "reboot", "unlock", "prewarm"] {
        let ended = try user.lab("inject", fault)
        #expect(ended.code == 0 && ended.errors.isEmpty, "\(fault): \(ended.errors)")
      }
      #expect(try user.lab("inject", "unlock").code == 0)
      #expect(try user.lab("inject", "lock").errors == "undo: lab inject unlock\n")
      #expect(try user.lab("status").output.contains("snapshot") == false)
      try end(phone)
    }

    @Test func `is kept eight times, under names that are never given twice`() throws {
      let phone = try user.mount("my-phone")
      #expect(try user.lab("snapshot", "before-uninstall-2").code == 0)
      for number in [1, 3, 4, 5, 6, 7, 8, 9, 10] {
        let name = "before-uninstall" + (number == 1 ? "" : "-\(number)")
        let removed = try user.lab("inject", "uninstall", "--on", "my-phone")
        #expect(removed.errors == "undo: lab restore \(name) --on my-phone\n")
        #expect(try user.lab("inject", "install").errors.isEmpty)
      }
      let listed = try user.lab("status", "--json").json().objects("snapshots")
      #expect(
        listed.map { $0["name"] as? String }
          == [2, 3, 4, 5, 6, 7, 8, 9, 10].map {
            "before-uninstall-\($0)"
          })
      #expect(
        listed.map { $0["automatic"] as? Bool } == [false] + [Bool](repeating: true, count: 8))
      let gone = try user.lab("restore", "before-uninstall")
      #expect(gone.code == 2 && gone.errors.contains("no snapshot 'before-uninstall'"))
      let half = try user.lab("restore", "before-uninstall-10", "--half", "key")
      #expect(half.code == 2 && half.errors.contains("do: lab restore before-uninstall-10"))
      let taken = try user.lab("snapshot", "before-uninstall-10")
      #expect(taken.code == 2 && taken.errors.contains("was taken by itself"))
      try end(phone)
    }
  }
}
