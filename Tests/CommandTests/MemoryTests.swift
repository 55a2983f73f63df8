import Device
import Foundation
import Images
import Testing

extension Commands.Phones {
  @Suite struct `A phone that lives long` {
    private let user: User

    init() throws {
      user = try User()
    }

    private func end(_ phone: Running) throws {
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test(arguments: [[], ["--image", "phone.db"]])
    func `takes less than 40 MB when nobody uses it`(options: [String]) throws {
      let phone = try user.begin(["mount", "my-phone"] + options)
      #expect(eventually { phone.output.contains("mounted at") })
      #expect(try user.lab("status").code == 0)
      let status = try String(contentsOfFile: "/proc/\(phone.id)/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
      let kibibytes = try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
      #expect(kibibytes < 40 << 10, "\(kibibytes >> 10) MB")
      try end(phone)
    }

    @Test func `has its operations in the image, also after a kill`() throws {
      let phone = try user.mount("my-phone", "--image", "phone.db")
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      let shown = try lines()
      var isSaved: Bool {
        (try? ImageFile(at: "\(user.folder)/phone.db", creating: false).loadLog().endIndex)
          ?? 0 >= shown.count
      }
      #expect(eventually { isSaved })
      phone.send(SIGKILL)
      #expect(try phone.wait().code == 137)
      #expect(eventually { user.mounts.isEmpty && user.processes.isEmpty })
      let log = try ImageFile(at: "\(user.folder)/phone.db", creating: false).loadLog()
      #expect(log.firstIndex == 0)
      let stored = log.prefix(shown.count)
      #expect(stored.map(\.number.number) == shown.map { $0["number"] as? Int })
      #expect(stored.map(\.kind.rawValue) == shown.map { $0["kind"] as? String })
      #expect(stored.map(\.path) == shown.map { $0["path"] as? String })

      let next = try user.mount("my-phone", "--image", "phone.db")
      #expect(try user.lab("app", "--store", "recipe", "get").code == 0)
      let first = try #require(try lines().first?["number"] as? Int)
      #expect(first > log.endIndex)
      #expect(eventually { (try? status()["operationsSince"] as? Int) == 1 })
      try end(next)
    }

    @Test func `says since when its operations are kept`() throws {
      let first = try user.mount("my-phone", "--image", "phone.db")
      #expect(try user.shell("echo x > my-phone/note").code == 0)
      try end(first)
      let before = try ImageFile(at: "\(user.folder)/phone.db", creating: false).loadLog().endIndex
      // What an image of the first format is like.
      try user.shell(
        "python3 -c \"import sqlite3; c = sqlite3.connect('phone.db'); "
          + "c.execute('DELETE FROM operations'); c.commit()\"")
      let phone = try user.mount("my-phone", "--image", "phone.db")
      #expect(try user.shell("echo x > my-phone/note").code == 0)
      #expect(try user.lab("status").output.contains(" operations (log since \(before + 1))  "))
      #expect(try status()["operationsSince"] as? Int == before + 1)
      try end(phone)
    }

    private func status() throws -> [String: Any] {
      try user.lab("status", "--json").json()
    }

    private func lines() throws -> [[String: Any]] {
      try user.read("my-phone/.lab/operations.ndjson").split(separator: "\n").map {
        try Ended(code: 0, output: String($0), errors: "").json()
      }
    }
  }
}
