import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `A server of the lab` {
    private let health = "/auth/v1/health"

    @Test func `says where it is, logs requests without a secret, and ends with a signal`() throws {
      let user = try User()
      let serving = try Serving(user)
      let reply = try serving.send("GET", "\(health)?apikey=secret", as: user).wait()
      #expect(reply.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
      serving.process.send(SIGTERM)
      let ended = try serving.process.wait()
      #expect(ended.code == 0)
      #expect(
        ended.lines == [
          "gotrue is served at \(serving.base)/auth/v1",
          "  mail    \(serving.base)/lab/outbox",
          "  faults  \(serving.base)/lab/faults",
          "  keys    any public key will do; the server's own are in memory",
        ])
      let log = ended.errors.replacing(/\d+ ms/, with: "0 ms")
      #expect(log == "GET \(health) 200 0 ms\nfinishing open requests (again: at once)\n")
    }

    @Test(arguments: [
      "/auth/v1/user#access_token=SECRET", "http://user:SECRET@evil.example/auth/v1/health",
      "//u:SECRET@h/auth", "/auth/v1/verify%3Ftoken=SECRET", "/auth/v1/verify?token=SECRET",
    ]) func `logs no secret of a target, whatever its form`(target: String) throws {
      let user = try User()
      let serving = try Serving(user)
      _ = try serving.send("GET", target, as: user).wait()
      serving.process.send(SIGTERM)
      let ended = try serving.process.wait()
      #expect(ended.errors.contains("GET ") && !ended.errors.contains("SECRET"))
    }

    @Test func `answers nobody who takes it for another machine`() throws {
      let user = try User()
      let serving = try Serving(user)
      for (host, status) in [("evil.example", 403), ("127.0.0.1.evil", 403), ("[::1]:8080", 200)] {
        let reply = try serving.send("GET", "/lab/outbox", host: host, as: user).wait()
        #expect(reply.output.hasPrefix("HTTP/1.1 \(status) "), "\(host)")
      }
      serving.process.send(SIGTERM)
      #expect(try serving.process.wait().code == 0)
    }

    /// A page may send such a request to any address without asking before.
    @Test func `lets no page of a browser arm a fault or read the mail`() throws {
      let user = try User()
      let serving = try Serving(user)
      let fault = #"{"fault":"lose-reply","path":"/token"}"#
      for (method, target, body) in [("POST", "/lab/faults", fault), ("GET", "/lab/outbox", "")] {
        let page = try serving.send(
          method, target, body, origin: "http://evil.example", as: user
        ).wait()
        #expect(page.output.hasPrefix("HTTP/1.1 403 "), "\(target)")
        let program = try serving.send(method, target, body, as: user).wait()
        #expect(program.output.hasPrefix("HTTP/1.1 200 "), "\(target)")
      }
      let health = try serving.send(
        "GET", "/auth/v1/health", origin: "http://localhost:8081", as: user
      ).wait()
      #expect(health.output.hasPrefix("HTTP/1.1 200 "))
      serving.process.send(SIGKILL)
      _ = try serving.process.wait()
    }

    @Test func `says the same as objects`() throws {
      let user = try User()
      let serving = try Serving(user, "--json")
      _ = try serving.send("GET", "/nothing?code=123456", as: user).wait()
      serving.process.send(SIGINT)
      let ended = try serving.process.wait()
      #expect(ended.code == 130)
      #expect(
        ended.lines == [
          #"{"event":"serving","kind":"gotrue","schema":"lab.serve/1","url":"\#(serving.base)/auth/v1"}"#,
          #"{"event":"request","method":"GET","path":"/nothing","schema":"lab.serve/1","status":404}"#,
        ])
    }

    @Test func `finishes an open request before it ends, unless it is told twice`() throws {
      for signals in [1, 2] {
        let user = try User()
        let serving = try Serving(user)
        let fault = #"{"fault":"late-reply","path":"/health","by":"1500ms"}"#
        _ = try serving.send("POST", "/lab/faults", fault, as: user).wait()
        let open = try serving.send("GET", health, as: user)
        // What has fired is being waited for.
        #expect(
          try eventually {
            try serving.send("GET", "/lab/faults", as: user).wait().output.contains(
              #""status":"fired""#)
          })
        serving.process.send(SIGTERM)
        #expect(eventually { serving.process.errors.contains("finishing") })
        if signals == 2 { serving.process.send(SIGTERM) }
        #expect(try serving.process.wait().code == 0)
        #expect(try open.wait().output.contains("200 OK") == (signals == 1))
      }
    }

    @Test func `is refused on a port that is taken, and anywhere but on this machine`() throws {
      let user = try User()
      let serving = try Serving(user)
      let second = try user.lab("serve", "--port", serving.port)
      #expect(second.code == 2)
      #expect(
        second.errors
          == "lab: port \(serving.port) is taken.  do: lab serve --port 0   (any free one)\n")
      for host in ["0.0.0.0", "::", "10.0.0.1", "example.com", "127.0.0.1.example.com"] {
        let ended = try user.lab("serve", "--listen", host)
        #expect(ended.code == 64 && ended.errors.contains("only this machine reaches"), "\(host)")
      }
      let other = try Serving(user, "--listen", "::1")
      #expect(other.base.hasPrefix("http://[::1]:"))
      for process in [serving.process, other.process] {
        process.send(SIGTERM)
        #expect(try process.wait().code == 0)
      }
    }

    @Test func `is killed, and remembers what it has answered, with a file and not without`() throws
    {
      for options in [["--state", "auth.db"], []] {
        let user = try User()
        var known: [Bool] = []
        for _ in 1...2 {
          let serving =
            options.isEmpty ? try Serving(user) : try Serving(user, options[0], options[1])
          let outbox = try serving.send("GET", "/lab/outbox", as: user).wait().output
          known.append(outbox.contains("a@example.com"))
          let account = #"{"email":"a@example.com","password":"a password"}"#
          let reply = try serving.send("POST", "/auth/v1/signup", account, as: user).wait()
          #expect(reply.output.contains(" 200 ") || reply.output.contains(" 429 "))
          serving.process.send(SIGKILL)
          #expect(try serving.process.wait().code == 137)
        }
        #expect(known == [false, !options.isEmpty])
      }
    }

    @Test func `refuses a state that another server holds, until that has ended`() throws {
      let user = try User()
      let first = try Serving(user, "--state", "auth.db")
      #expect(try user.shell("stat -c %a auth.db").output == "600\n")
      let second = try user.lab("serve", "--port", "0", "--state", "auth.db")
      #expect(second.code == 2)
      #expect(second.errors == "lab: auth.db: another server has it open\n")
      first.process.send(SIGKILL)
      #expect(try first.process.wait().code == 137)
      let third = try Serving(user, "--state", "auth.db")
      third.process.send(SIGTERM)
      #expect(try third.process.wait().code == 0)
    }

    @Test func `refuses the state of a server of another kind, and leaves it alone`() throws {
      let user = try User()
      let first = try Serving(user, "--state", "auth.db")
      let account = #"{"email":"a@example.com","password":"a password"}"#
      _ = try first.send("POST", "/auth/v1/signup", account, as: user).wait()
      first.process.send(SIGTERM)
      #expect(try first.process.wait().code == 0)
      let kept = "sqlite3 auth.db 'SELECT * FROM state' | md5sum"
      let before = try user.shell(kept).output
      let other = try user.lab(
        "serve", "--port", "0", "--kind", "better-auth", "--state", "auth.db")
      #expect(other.code == 2)
      #expect(
        other.errors
          == "lab: auth.db: it holds what a gotrue server remembers, not a better-auth one.  "
          + "do: lab serve --kind gotrue --state auth.db, or name another file\n")
      #expect(try user.shell(kept).output == before)
      let again = try Serving(user, "--state", "auth.db")
      again.process.send(SIGTERM)
      #expect(try again.process.wait().code == 0)
    }

    @Test func `refuses a state that is none, and leaves it alone`() throws {
      let user = try User()
      let states = [
        ("notes.txt", "printf 'not a database, but long enough to be looked at'"),
        ("other.db", "sqlite3 made.db 'CREATE TABLE a (b)'; cat made.db"),
        ("newer.db", "sqlite3 newest.db 'PRAGMA user_version=2'; cat newest.db"),
      ]
      for (name, command) in states {
        try user.shell("{ \(command); } >\(name); cp \(name) before")
        let ended = try user.lab("serve", "--port", "0", "--state", name)
        #expect(ended.code == 2 && ended.errors.hasPrefix("lab: \(name): "), "\(ended.errors)")
        #expect(try user.shell("cmp before \(name)").code == 0, "\(name)")
      }
      _ = try Serving(user, "--state", "cut.db")
      try user.shell(#"sqlite3 cut.db "INSERT INTO state VALUES ('gotrue', '{')""#)
      let ended = try user.lab("serve", "--port", "0", "--state", "cut.db")
      #expect(ended.code == 2 && ended.errors.hasPrefix("lab: cut.db: "), "\(ended.errors)")
    }

    @Test func `goes on after it had no descriptor left for a client`() throws {
      let user = try User()
      let program = """
        import socket, subprocess, sys
        server = subprocess.Popen(["sh", "-c", "ulimit -n 40; exec lab serve --port 0 -q"],
            stdout=subprocess.PIPE, text=True)
        port = int(server.stdout.readline().split(":")[2].split("/")[0])
        def ask(client):
            client.sendall(b"GET /auth/v1/health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
            return client.recv(12)
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
        print(ask(clients[0]))
        for client in clients:
            client.close()
        print(ask(socket.create_connection(("127.0.0.1", port))))
        server.terminate()
        print(server.wait())
        """
      try user.write(program, to: "clients.py")
      let ended = try user.shell("'\(Python.path)' clients.py")
      #expect(ended.output == "b'HTTP/1.1 200'\nb'HTTP/1.1 200'\n0\n", "\(ended.errors)")
    }
  }
}
