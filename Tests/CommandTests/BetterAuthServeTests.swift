import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `A server like Better Auth's, served` {
    private static let email = #""email":"ada@example.com""#

    private func sendCode(_ serving: Serving, _ user: User) throws -> String {
      let sent = try serving.send(
        "POST", "/api/auth/email-otp/send-verification-otp",
        #"{\#(Self.email),"type":"sign-in"}"#, as: user
      ).wait()
      #expect(sent.output.contains(#"{"success":true}"#))
      let outbox = try serving.send("GET", "/lab/outbox", as: user).wait().output
      let match = try #require(outbox.matches(of: #/"code":"(\d{6})"/#).last)
      return String(match.1)
    }

    private func signIn(_ serving: Serving, _ user: User, code: String) throws -> String {
      try serving.send(
        "POST", "/api/auth/sign-in/email-otp", #"{\#(Self.email),"otp":"\#(code)"}"#, as: user
      ).wait().output
    }

    /// The cookie that a reply sets, as a client sends it.
    private func cookie(of reply: String) throws -> String {
      String(try #require(reply.firstMatch(of: #/(?i)set-cookie: ([^;\r]+)/#)).1)
    }

    private func session(_ serving: Serving, _ user: User, _ cookie: String) throws -> String {
      try user.shell("curl -s -H 'Cookie: \(cookie)' \(serving.base)/api/auth/get-session").output
    }

    @Test func `says where it is, and signs in with a code of its outbox`() throws {
      let user = try User()
      let serving = try Serving(user, "--kind", "better-auth")
      let reply = try signIn(serving, user, code: sendCode(serving, user))
      #expect(reply.hasPrefix("HTTP/1.1 200 "))
      let cookie = try cookie(of: reply)
      #expect(cookie.hasPrefix("better-auth.session_token="))
      #expect(try session(serving, user, cookie).contains("ada@example.com"))
      #expect(try session(serving, user, cookie + "x") == "null")
      serving.process.send(SIGTERM)
      let ended = try serving.process.wait()
      #expect(ended.code == 0)
      #expect(
        ended.lines == [
          "better-auth is served at \(serving.base)/api/auth",
          "  mail    \(serving.base)/lab/outbox",
          "  faults  \(serving.base)/lab/faults",
          "  secret  the server's own, in memory",
        ])
    }

    @Test func `is killed, and its sessions live on with a file and not without`() throws {
      for options in [["--state", "auth.db"], []] {
        let user = try User()
        let first = try Serving(user, ["--kind", "better-auth"] + options)
        let cookie = try cookie(of: signIn(first, user, code: sendCode(first, user)))
        first.process.send(SIGKILL)
        #expect(try first.process.wait().code == 137)
        let second = try Serving(user, ["--kind", "better-auth"] + options)
        let isKept = try session(second, user, cookie).contains("ada@example.com")
        #expect(isKept == !options.isEmpty)
        second.process.send(SIGTERM)
        #expect(try second.process.wait().code == 0)
      }
    }

    @Test func `has faults where they apply`() throws {
      let user = try User()
      let serving = try Serving(user, "--kind", "better-auth")
      let path = "/sign-in/email-otp"
      #expect(try user.lab("inject", "lose-reply", "--path", path).code == 0)
      let code = try sendCode(serving, user)
      #expect(try signIn(serving, user, code: code).isEmpty)
      // It was done, and the code is spent.
      #expect(try signIn(serving, user, code: code).contains("INVALID_OTP"))
      let deed = try user.lab("inject", "revoke-session")
      #expect(deed.output.contains("removed   session"), "\(deed.output)")
      let other = try user.lab("inject", "add-factor")
      #expect(other.code == 64 && other.errors.contains("has no use for add-factor"))
      let elsewhere = try user.lab("inject", "hang", "--path", "/token")
      #expect(elsewhere.code == 64)
      serving.process.send(SIGTERM)
      #expect(try serving.process.wait().code == 0)
    }

    @Test func `trusts the scheme that it is told, and refuses options of the other kind`() throws {
      let user = try User()
      let serving = try Serving(user, "--kind", "better-auth", "--scheme", "myapp", "--challenge")
      let target = "/api/auth/mobile-handoff?mobile_callback="
      for (callback, word) in [
        ("myapp%3A%2F%2Fauth%3Fstate%3Dx", "CHALLENGE_REQUIRED"),
        ("other%3A%2F%2Fauth%3Fstate%3Dx", "INVALID_CALLBACK_URL"),
      ] {
        let reply = try serving.send("GET", target + callback, as: user).wait()
        #expect(reply.output.contains(word), "\(reply.output)")
      }
      serving.process.send(SIGTERM)
      #expect(try serving.process.wait().code == 0)
      let wrong = try user.lab("serve", "--kind", "better-auth", "--rotation", "strict")
      #expect(wrong.code == 64 && wrong.errors.contains("--rotation is for --kind gotrue"))
      let other = try user.lab("serve", "--scheme", "myapp")
      #expect(other.code == 64 && other.errors.contains("--scheme is for --kind better-auth"))
    }
  }

  @Suite struct `A server of tokens, as it is told` {
    private struct Tokens {
      var old = ""
      var new = ""
      /// The status of showing the old one again, twice over.
      var again = ""
      var expires = 0
    }

    /// Signs up, refreshes once, then shows the first token again.
    private func refresh(_ user: User, _ options: [String]) throws -> Tokens {
      let serving = try Serving(user, options)
      let api = "\(serving.base)/auth/v1"
      let account = #"{"email":"a@example.com","password":"a password"}"#
      try user.shell("curl -s -d '\(account)' -H 'Content-Type: application/json' \(api)/signup")
      let outbox = try user.shell("curl -s \(serving.base)/lab/outbox").output
      let code = String(try #require(outbox.firstMatch(of: #/"code":"(\d{6})"/#)).1)
      let verification = #"{"type":"signup","email":"a@example.com","token":"\#(code)"}"#
      let first = try user.shell(
        "curl -s -d '\(verification)' -H 'Content-Type: application/json' \(api)/verify"
      ).output
      var tokens = Tokens()
      let pattern = #/"refresh_token":"([^"]+)"/#
      tokens.old = String(try #require(first.firstMatch(of: pattern)).1)
      tokens.expires = Int(try #require(first.firstMatch(of: #/"expires_at":(\d+)/#)).1) ?? 0
      let again =
        "curl -s -w '%{http_code}' -H 'Content-Type: application/json' "
        + "-d '{\"refresh_token\":\"\(tokens.old)\"}' '\(api)/token?grant_type=refresh_token'"
      let second = try user.shell(again).output
      tokens.new = String(try #require(second.firstMatch(of: pattern)).1)
      tokens.again = String(try user.shell(again).output.suffix(3))
      serving.process.send(SIGTERM)
      #expect(try serving.process.wait().code == 0)
      return tokens
    }

    @Test func `gives tokens of either version`() throws {
      let (v1, v2) = try (
        refresh(User(), ["--refresh-tokens", "v1"]), refresh(User(), ["--refresh-tokens", "v2"])
      )
      #expect(v1.old.count == 12 && v2.old.count > 40)
    }

    @Test func `forgives a lost reply, or does not`() throws {
      #expect(try refresh(User(), ["--rotation", "tolerant"]).again == "200")
      #expect(try refresh(User(), ["--rotation", "strict"]).again == "400")
    }

    @Test func `is ahead of this machine, or behind`() throws {
      let now = Int(Date().timeIntervalSince1970)
      for (step, seconds) in [("2d", 172_800), ("-2d", -172_800)] {
        let expires = try refresh(User(), ["--clock-ahead=\(step)"]).expires
        #expect(abs(expires - now - seconds) < 7200, "\(step)")
      }
    }
  }
}
