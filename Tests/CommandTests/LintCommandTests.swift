import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `lab lint` {
    private let user: User

    init() throws { user = try User() }

    /// Mounts a phone, uses it, and ends it.
    private func onPhone(_ options: String..., body: () throws -> Void) throws {
      let phone = try user.mountAll("my-phone", options)
      try body()
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    /// The counts of the rules that were broken.
    private func broken(_ options: String...) throws -> [String: Int] {
      let ended = try user.shell("lab lint --json \(options.joined(separator: " "))")
      let json = try ended.json()
      #expect(json["schema"] as? String == "lab.lint/1")
      let rules = try #require(json["rules"] as? [String: Int])
      #expect(rules.count == 5)
      let counts = rules.filter { $0.value > 0 }
      #expect(ended.code == (counts.isEmpty ? 0 : 1))
      return counts
    }

    @Test func `says what to do while nothing has happened`() throws {
      try onPhone {
        let ended = try user.lab("lint")
        #expect(ended.code == 0)
        #expect(
          ended.output == "nothing has happened on my-phone yet.  do: lab app --store recipe "
            + "sign-in\n")
      }
    }

    @Test func `tells where the published store can lose a session`() throws {
      try onPhone {
        try user.lab("app", "--store", "recipe", "sign-in")
        let ended = try user.lab("lint")
        #expect(ended.code == 1 && ended.errors.isEmpty)
        #expect(
          ended.lines.prefix(7).dropFirst() == [
            "  rule                         windows",
            "  halves-apart                       1",
            "  unsynced-at-acknowledgement        3",
            "  directory-not-synced               0",
            "  key-reused                         0",
            "  item-over-limit                    0",
          ])
        #expect(
          ended.lines.contains("halves-apart  K1 (key written) to M1 (manifest written)"))
        #expect(ended.lines.contains("unsynced-at-acknowledgement  keychain"))
        #expect(ended.lines.contains { $0.contains("keychain-2.db-wal (content, length)") })
        #expect(ended.lines.allSatisfy { $0.count <= 100 })
        #expect(!ended.output.contains("not judged"))
      }
    }

    @Test func `finds nothing in a small item that was synced before it was acknowledged`() throws {
      try onPhone("--keychain-synchronous", "full") {
        try user.lab("app", "--store", "keychain-only", "--size", "compact", "sign-in")
        #expect(try broken() == [:])
        #expect(try user.lab("lint").output.hasPrefix("my-phone: no window in operations 1 to "))
      }
    }

    @Test func `tells the large item of one half, and that it was not synced`() throws {
      try onPhone {
        try user.lab("app", "--store", "keychain-only", "sign-in")
        #expect(try broken() == ["item-over-limit": 1, "unsynced-at-acknowledgement": 1])
      }
    }

    @Test func `gives commands that show what it tells`() throws {
      for rule in ["halves-apart", "unsynced-at-acknowledgement"] {
        try onPhone {
          try user.lab("app", "--store", "recipe", "sign-in")
          let json = try user.lab("lint", "--json").json()
          let windows = try #require(json["windows"] as? [[String: Any]])
          let window = try #require(windows.first { $0["rule"] as? String == rule })
          let command = try #require(window["command"] as? String)
          #expect(try user.lab("app", "--store", "recipe", "get").output.hasPrefix("signed in"))
          #expect(try user.shell(command).code == 0)
          #expect(try user.lab("app", "--store", "recipe", "refresh", "--to", "2").code == 137)
          #expect(
            try user.lab("app", "--store", "recipe", "get").output.hasPrefix("null"), "\(command)")
        }
      }
    }

    @Test func `looks at other programs, and says what it cannot judge without points`() throws {
      try onPhone("--profile", "posix-weak") {
        try user.shell("echo one > my-phone/new; sync my-phone/new; mv my-phone/new my-phone/old")
        #expect(try broken() == ["directory-not-synced": 1])
        let text = try user.lab("lint").output
        #expect(text.contains("directory-not-synced  rename /old"))
        #expect(text.contains("not judged: unsynced-at-acknowledgement, key-reused: no save"))
        let status = try user.lab("status", "--json").json()
        let operations = try #require(status["operations"] as? Int)
        #expect(try broken("--since", "\(operations)") == [:])
        try user.shell("echo two > my-phone/two; echo S1 > my-phone/.lab/points")
        #expect(
          try broken("--since", "\(operations)") == [
            "directory-not-synced": 1, "unsynced-at-acknowledgement": 1,
          ])
        try user.shell("sync my-phone")
        try user.shell("echo S1 > my-phone/.lab/points")
        #expect(try broken("--since", "\(operations + 4)") == [:])
      }
    }

    @Test func `tells that the halves are apart, until the next save`() throws {
      try onPhone {
        try user.lab("app", "--store", "recipe", "sign-in")
        let json = try user.lab("lint", "--json").json()
        let last = try #require(json["last"] as? Int)
        try user.lab("inject", "kill@K1")
        #expect(try user.lab("app", "--store", "recipe", "refresh", "--to", "2").code == 137)
        let apart = try user.lab("lint", "--since", "\(last)")
        #expect(apart.code == 1)
        #expect(apart.lines.contains("halves-apart  from K1 (key written) on"))
        try user.lab("app", "--store", "recipe", "sign-in")
        let mended = try user.lab("lint", "--since", "\(last)")
        #expect(mended.lines.contains("halves-apart  K1 (key written) to B1 (blob written)"))
        // The app's container goes, and the key stays.
        try user.lab("inject", "uninstall")
        #expect(try user.lab("lint").lines.contains("halves-apart  sb-demo-auth-token, now"))
      }
    }

    @Test func `is 2 without a phone, and 64 for a wrong word`() throws {
      let none = try user.lab("lint")
      #expect(none.code == 2 && none.errors.contains("no phone is mounted"))
      let wrong = try user.lab("lint", "--since", "yesterday")
      #expect(wrong.code == 64 && wrong.errors.contains("--since"))
      #expect(try user.lab("list", "rules").output.contains("halves-apart"))
    }
  }
}
