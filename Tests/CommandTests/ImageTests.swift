import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `A phone in an image file` {
    private let user: User

    init() throws {
      user = try User()
    }

    private func get() throws -> String {
      try user.lab("app", "--store", "recipe", "get").output
    }

    private func endPhone(_ phone: Running) throws {
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test func `is there again the next time, with its backups`() throws {
      let first = try user.mount("my-phone", "--image", "phone.db")
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      #expect(try user.lab("snapshot", "one", "--half", "key").code == 0)
      #expect(try user.lab("app", "--store", "recipe", "refresh", "--to", "2").code == 0)
      try endPhone(first)
      let second = try user.mount("elsewhere", "--image", "phone.db")
      #expect(try get().hasPrefix("signed in: generation 2, "))
      #expect(try user.lab("restore", "one", "--half", "key").code == 0)
      #expect(try get().hasPrefix("null   (the store gave a text that is no session"))
      try endPhone(second)
    }

    @Test func `is as it was saved last after a kill`() throws {
      let phone = try user.mount("my-phone", "--image", "phone.db")
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      // Saved every second.
      usleep(2_500_000)
      phone.send(SIGKILL)
      #expect(try phone.wait().code == 137)
      #expect(eventually { user.mounts.isEmpty && user.processes.isEmpty })
      let next = try user.mount("my-phone", "--image", "phone.db")
      #expect(try get().hasPrefix("signed in: generation 1, "))
      try endPhone(next)
    }

    @Test func `is the phone that it was, and no other`() throws {
      let first = try user.mount("my-phone", "--phone", "android", "--image", "phone.db")
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      try endPhone(first)
      let other = try user.lab("mount", "my-phone", "--phone", "ios", "--image", "phone.db")
      #expect(other.code == 2)
      #expect(other.errors.contains("the image holds an android phone, not ios"))
      let next = try user.mount("my-phone", "--image", "phone.db")
      #expect(try user.lab("status").output.contains("android"))
      #expect(try get().hasPrefix("signed in: generation 1, "))
      try endPhone(next)
    }

    @Test func `cannot be used by two phones at once`() throws {
      let phone = try user.mount("my-phone", "--image", "phone.db")
      let other = try user.lab("mount", "other", "--image", "phone.db")
      #expect(other.code == 2 && other.output.isEmpty)
      #expect(other.errors == "lab: another phone uses the image phone.db.  do: lab status\n")
      #expect(!user.exists("other"))
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      try endPhone(phone)
    }

    @Test func `that is none, or is damaged, is refused and left as it is`() throws {
      try endPhone(try user.mount("my-phone", "--image", "phone.db"))
      try user.shell("echo text >text.db; head -c 3000 phone.db >cut.db; mkdir folder.db")
      let sums = try user.shell("cksum text.db cut.db").output
      for (name, reason) in [
        ("text.db", "not an image of the lab: text.db"), ("cut.db", "damaged image: cut.db"),
        ("folder.db", "cannot open image: folder.db"),
        ("no/such.db", "cannot open image: no/such.db"),
      ] {
        let ended = try user.lab("mount", "my-phone", "--image", name)
        #expect(ended.code == 2 && ended.output.isEmpty)
        #expect(ended.errors.hasPrefix("lab: \(reason)"))
        #expect(ended.errors.split(separator: "\n").count == 1)
      }
      #expect(try user.shell("cksum text.db cut.db").output == sums)
      #expect(!user.exists("my-phone"))
    }
  }
}
