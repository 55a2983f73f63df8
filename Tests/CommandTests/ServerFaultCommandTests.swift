import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `A fault of a running server` {
    private let health = "/auth/v1/health"

    @Test func `is armed at the only server, fires, and is reported`() throws {
      let user = try User()
      let serving = try Serving(user)
      let armed = try user.lab(
        "inject", "refuse", "--path", "/health", "--at", "2", "--status", "503")
      #expect(armed.code == 0)
      #expect(
        armed.lines == ["refuse on \(serving.base): armed as fault 1, for /health, time 2"])
      #expect(try user.lab("faults").lines == ["  fault 1  refuse on /health, time 2: armed"])
      for status in [200, 503] {
        let reply = try serving.send("GET", health, as: user).wait()
        #expect(reply.output.hasPrefix("HTTP/1.1 \(status) "))
      }
      #expect(try user.lab("faults").lines == ["  fault 1  refuse on /health, time 2: fired"])
      #expect(try user.lab("reset").lines == ["no fault is armed on \(serving.base)"])
      #expect(try user.lab("status").lines == ["gotrue  served at \(serving.base)"])
      serving.process.send(SIGTERM)
      #expect(try serving.process.wait().code == 0)
      #expect(try user.lab("status").lines == ["no phone is mounted"])
    }

    @Test func `says as one object what was armed, and what a deed took`() throws {
      let user = try User()
      let serving = try Serving(user)
      let armed = try user.lab("inject", "lose-reply", "--json", "--on", serving.base)
      #expect(armed.output.contains(#""schema":"lab.inject/1""#))
      #expect(armed.output.contains(#""status":"armed""#) && armed.output.contains(#""id":1"#))
      #expect(try user.lab("reset", "--on", serving.base).code == 0)
      let nobody = try user.lab("inject", "delete-user")
      #expect(nobody.code == 2)
      #expect(
        nobody.errors
          == "lab: delete-user happens to an account, and the server has none yet.  "
          + "do: sign up first, or arm it with --at 1\n")
      let account = #"{"email":"a@example.com","password":"a password"}"#
      _ = try serving.send("POST", "/auth/v1/signup", account, as: user).wait()
      let deed = try user.lab("inject", "delete-user", "--user", "a@example.com")
      #expect(deed.code == 0)
      #expect(deed.lines.first == "delete-user on \(serving.base): done")
      #expect(deed.output.contains("removed") && deed.output.contains("a@example.com"))
      serving.process.send(SIGTERM)
      #expect(try serving.process.wait().code == 0)
    }

    @Test func `is told beside those of a mounted phone, as text and as one object`() throws {
      let user = try User()
      let phone = try user.mount("my-phone")
      let serving = try Serving(user)
      #expect(
        try user.lab("faults").lines == [
          "no fault is armed on my-phone", "no fault is armed on \(serving.base)",
        ])
      #expect(try user.lab("inject", "refuse", "--path", "/health").code == 0)
      #expect(try user.lab("inject", "power-cut@K1").code == 0)
      #expect(
        try user.lab("faults").lines == [
          "my-phone", "  fault 1  power-cut at K1 (key written): armed", serving.base,
          "  fault 1  refuse on /health: armed",
        ])
      let json = try user.lab("faults", "--json").json()
      #expect((json["faults"] as? [Any])?.count == 1)
      let servers = try #require(json["servers"] as? [[String: Any]])
      #expect(servers.map { $0["server"] as? String } == [serving.base])
      #expect((servers.first?["faults"] as? [Any])?.count == 1)
      // Both have a fault 1: which one is meant has to be said.
      let either = try user.lab("faults", "--disarm", "1")
      #expect(either.code == 2 && either.errors.contains("add --on NAME or --on \(serving.base)"))
      #expect(try user.lab("faults", "--disarm", "1", "--on", "my-phone").code == 0)
      #expect(try user.lab("faults", "--disarm", "1", "--on", serving.base).code == 0)
      serving.process.send(SIGTERM)
      #expect(try serving.process.wait().code == 0)
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test func `that never fires is told at the end`() throws {
      let user = try User()
      let serving = try Serving(user)
      #expect(try user.lab("inject", "hang", "--path", "/verify").code == 0)
      serving.process.send(SIGTERM)
      let ended = try serving.process.wait()
      #expect(ended.code == 3 && ended.errors.contains("NEVER FIRED  hang on /verify\n"))
    }

    @Test func `is refused where it cannot happen, with what would be right`() throws {
      let user = try User()
      let none = try user.lab("inject", "lose-reply")
      #expect(none.code == 2 && none.errors == "lab: no server runs.  do: lab serve &\n")
      let serving = try Serving(user)
      for (words, reason) in [
        (["lose-reply", "--path", "/tokn"], "no request to '/tokn'; nearest: /token"),
        (["lose-replay"], "no fault 'lose-replay'; nearest: lose-reply"),
        (["lose-reply", "--on", "my-phone"], "'my-phone' is no server's address"),
        (["refuse", "--status", "200"], "status '200' is no number from 400 to 599"),
      ] {
        let ended = try user.begin(["inject"] + words).wait()
        #expect(ended.code == 64 && ended.errors.contains(reason), "\(ended.errors)")
      }
      for (words, reason) in [
        (["inject", "kill@K1"], "kill happens to a phone, and \(serving.base) is a server"),
        (["snapshot", "one"], "--on: \(serving.base) is a server, not a phone"),
      ] {
        let ended = try user.begin(words + ["--on", serving.base]).wait()
        #expect(ended.code == 64 && ended.errors.hasPrefix("lab: \(reason)\n"), "\(ended.errors)")
      }
      let with = try user.lab("with", "lose-reply", "--", "true")
      #expect(with.code == 64 && with.errors.contains("happens to a server, not to a phone"))
      let second = try Serving(user)
      let either = try user.lab("inject", "lose-reply")
      #expect(either.code == 2 && either.errors.contains("several servers run"))
      #expect(try user.lab("inject", "lose-reply", "--on", second.base).code == 0)
      #expect(try user.lab("faults", "--on", serving.base).output.hasPrefix("no fault is armed"))
      #expect(try user.lab("faults", "--on", second.base, "--disarm", "1").code == 0)
      for server in [serving, second] {
        server.process.send(SIGTERM)
        #expect(try server.process.wait().code == 0)
      }
    }

    @Test func `is not known of a server that was killed`() throws {
      let user = try User()
      let serving = try Serving(user)
      serving.process.send(SIGKILL)
      #expect(try serving.process.wait().code == 137)
      #expect(try user.lab("status").lines == ["no phone is mounted"])
      #expect(try user.lab("reset", "--on", serving.base).code == 2)
    }

    @Test func `is none when evhttp refuses, but has its line in the log`() throws {
      let user = try User()
      let serving = try Serving(user)
      let reply = try serving.send("BREW", "/pot", as: user).wait()
      #expect(reply.output.hasPrefix("HTTP/1.1 501 "))
      serving.process.send(SIGTERM)
      let log = try serving.process.wait().errors.replacing(/\d+ ms/, with: "0 ms")
      #expect(log.hasPrefix("- - 501 0 ms\n"), "\(log)")
    }
  }
}
