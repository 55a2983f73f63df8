import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `A live phone` {
    private let user: User
    private let phone: Running

    init() throws {
      user = try User()
      phone = try user.mount("my-phone")
    }

    /// Types the words of an app command.
    private func app(_ words: String..., store: String = "recipe") throws -> Ended {
      try user.shell("lab app --store \(store) \(words.joined(separator: " "))")
    }

    private func endPhone() throws {
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test func `brings one half back and leaves the other`() throws {
      #expect(try app("sign-in").code == 0)
      #expect(try user.lab("snapshot", "key-1", "--half", "key").code == 0)
      #expect(try user.lab("snapshot", "blob-1", "--half", "blob").code == 0)
      #expect(try app("refresh", "--to", "2").code == 0)
      let restored = try user.lab("restore", "key-1", "--half", "key")
      #expect(restored.code == 0)
      #expect(restored.output.contains("synthetic: "))
      // Key 1 opens blob 1 only.
      #expect(try app("get").output.hasPrefix("null   (the store gave a text that is no session"))
      #expect(try user.lab("restore", "blob-1", "--half", "blob").code == 0)
      #expect(try app("get").output.hasPrefix("signed in: generation 1, "))
      let wrong = try user.lab("restore", "blob-1", "--half", "key")
      #expect(wrong.code == 2)
      #expect(
        wrong.errors == "lab: no snapshot 'blob-1' of these halves; take one first\n")
      #expect(try app("get").output.hasPrefix("signed in: generation 1, "))
      try endPhone()
    }

    @Test func `restores both halves by the platform's rules`() throws {
      #expect(try app("sign-in").code == 0)
      #expect(try user.lab("snapshot", "one").code == 0)
      let restored = try user.lab("restore", "one").output
      #expect(restored.contains("can happen: a backup of an encrypted kind"))
      // AsyncStorage's folder is left out of backups.
      #expect(restored.contains("removed   blob      sb-demo-auth-token"))
      #expect(restored.contains("remains   key       sb-demo-auth-token"))
      let new = try user.lab("restore", "one", "--device", "new").output
      #expect(new.contains("remains   key       sb-demo-auth-token"), "\(new)")
      try endPhone()
    }

    @Test func `is as it was at the mount after reset --device, and only disarmed without`() throws
    {
      #expect(try app("sign-in").code == 0)
      #expect(try user.lab("inject", "kill@K1").code == 0)
      #expect(try user.lab("reset").output == "no fault is armed on my-phone\n")
      #expect(try user.lab("faults").output == "no fault is armed on my-phone\n")
      #expect(try app("get").output.hasPrefix("signed in: generation 1, "))
      #expect(try app("refresh", "--to", "2").code == 0)
      let reset = try user.lab("reset", "--device")
      #expect(
        reset.output == "my-phone is as it was when it was mounted; no fault is armed\n")
      #expect(try app("get").output == "null\n")
      #expect(try app("sign-in").code == 0)
      try endPhone()
    }

    @Test func `rejects a save on a full disk, and takes it when there is room`() throws {
      #expect(try app("sign-in").code == 0)
      #expect(try user.lab("inject", "disk-full").code == 0)
      let rejected = try app("refresh", "--to", "2")
      #expect(rejected.code == 1)
      #expect(rejected.output.hasPrefix("rejected: "))
      #expect(try user.lab("inject", "disk-free").code == 0)
      #expect(try app("sign-in").code == 0)
      #expect(try app("get").output.hasPrefix("signed in: generation 1, "))
      try endPhone()
    }

    @Test func `keeps an item from readers while it is locked`() throws {
      #expect(try app("sign-in", store: "keychain-only").code == 0)
      #expect(try user.lab("inject", "lock").code == 0)
      let locked = try app("get", store: "keychain-only")
      #expect(locked.code == 1)
      #expect(locked.output.contains("User interaction is not allowed"))
      #expect(try user.lab("status").output.hasPrefix("my-phone  ios  locked"))
      #expect(try user.lab("inject", "unlock").code == 0)
      #expect(
        try app("get", store: "keychain-only").output.hasPrefix("signed in: generation 1, "))
      try endPhone()
    }

    @Test func `holds an app at a point until it is released`() throws {
      #expect(try user.lab("inject", "hold@B1").code == 0)
      #expect(try user.lab("faults", "--release").output == "nothing was held\n")
      let app = try user.begin("app", "--store", "recipe", "sign-in")
      var status = ""
      #expect(
        try eventually {
          status = try user.lab("status").output
          return status.contains("  held     point B1")
        }, "\(status)")
      #expect(app.isRunning && app.output.isEmpty)
      #expect(status.contains("lab app"))
      #expect(try user.lab("faults", "--release").output == "released  point B1\n")
      #expect(try app.wait().code == 0)
      try endPhone()
    }

    @Test func `delays a call by what was asked for`() throws {
      #expect(try user.lab("inject", "delay@B1", "--by", "700ms").code == 0)
      let start = Date()
      #expect(try app("sign-in").code == 0)
      #expect(Date().timeIntervalSince(start) > 0.7)
      #expect(try user.lab("faults").output == "  fault 1  delay at B1 (blob written): fired\n")
      try endPhone()
    }

    @Test func `fires a fault as often as it was told, and says how often`() throws {
      #expect(try user.lab("inject", "kill@K1", "--times", "2").code == 0)
      #expect(try app("sign-in").code == 137)
      #expect(
        try user.lab("faults").output
          == "  fault 1  kill at K1 (key written): fired 1 of 2, still armed\n")
      #expect(try app("sign-in").code == 137)
      #expect(try user.lab("faults").output == "  fault 1  kill at K1 (key written): fired\n")
      #expect(try app("sign-in").code == 0)
      try endPhone()
    }

    @Test func `takes a fault back by its number, and knows no other`() throws {
      #expect(try user.lab("inject", "kill@K1").code == 0)
      let unknown = try user.lab("faults", "--disarm", "2")
      #expect(unknown.code == 2 && unknown.output.isEmpty)
      #expect(unknown.errors == "lab: no fault has the number 2.  do: lab faults\n")
      #expect(
        try user.lab("faults", "--disarm", "1").output
          == "  fault 1  kill at K1 (key written): expired\n")
      #expect(try app("sign-in").code == 0)
      try endPhone()
    }

    @Test func `refuses an error that a call cannot give on a phone`() throws {
      let ended = try user.lab("inject", "call-error@write:*", "--code", "ENOENT")
      #expect(ended.code == 64)
      #expect(ended.errors.contains("write cannot give ENOENT on a phone"))
      #expect(ended.errors.contains("ENOSPC"))
      try endPhone()
    }
  }
}
