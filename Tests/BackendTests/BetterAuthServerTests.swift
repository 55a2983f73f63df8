import Backend
import JSON
import Ports
import Session
import Testing
import Wire

@Suite struct `A server like Better Auth's` {
  let bench = HandOffBench()

  private func body(_ response: HTTPResponse) throws -> JSONValue {
    try JSONReader.read(response.body).value
  }

  private func sendCode(_ email: String = "ada@example.com") throws -> String {
    let reply = bench.request(
      "POST", "/api/auth/email-otp/send-verification-otp",
      ["email": .text(email), "type": "sign-in"])
    #expect(try body(reply) == ["success": true])
    return try #require(bench.server.state.outbox.last?.code)
  }

  private func type(_ code: String, from address: String = "198.51.100.1") -> HTTPResponse {
    bench.request(
      "POST", "/api/auth/sign-in/email-otp", ["email": "ada@example.com", "otp": .text(code)],
      from: address)
  }

  @Test func `has no session for a stranger, and deletes a cookie that is none`() throws {
    let none = bench.request("GET", "/api/auth/get-session")
    #expect(none.status == 200 && none.body == Array("null".utf8))
    #expect(none.headers["set-cookie"] == nil)
    let cookies = "__Secure-better-auth.session_token=forged.signature"
    let forged = bench.request("GET", "/api/auth/get-session", cookies: cookies)
    #expect(forged.body == Array("null".utf8))
    #expect(
      forged.headers["set-cookie"]
        == "__Secure-better-auth.session_token=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax")
  }

  @Test func `keeps a session for seven days, and seven more with each day of use`() throws {
    let cookies = try bench.signInOnTheWeb()
    let day: Int64 = 86_400_000
    #expect(try body(bench.request("GET", "/api/auth/get-session", cookies: cookies)) != .null)
    bench.serverClock.nowMs += day
    let renewed = bench.request("GET", "/api/auth/get-session", cookies: cookies)
    #expect(renewed.headers["set-cookie"]?.contains("Max-Age=604800") == true)
    bench.serverClock.nowMs += 7 * day - 1
    #expect(try body(bench.request("GET", "/api/auth/get-session", cookies: cookies)) != .null)
    bench.serverClock.nowMs += 7 * day
    #expect(try body(bench.request("GET", "/api/auth/get-session", cookies: cookies)) == .null)
  }

  @Test func `ends a session at its sign-out, or when it is revoked`() throws {
    for isRevoked in [false, true] {
      let cookies = try bench.signInOnTheWeb()
      if isRevoked {
        bench.server.revokeSessions(of: "ada@example.com")
      } else {
        let reply = bench.request("POST", "/api/auth/sign-out", [:], cookies: cookies)
        #expect(try body(reply) == ["success": true])
        #expect(reply.headers["set-cookie"]?.contains("Max-Age=0") == true)
      }
      #expect(try body(bench.request("GET", "/api/auth/get-session", cookies: cookies)) == .null)
    }
  }

  @Test(arguments: [
    (nil, "MISSING_OR_NULL_ORIGIN"), ("null", "MISSING_OR_NULL_ORIGIN"),
    ("https://evil.test", "INVALID_ORIGIN"), ("evil://", "INVALID_ORIGIN"),
  ]) func `refuses cookies from elsewhere`(_ origin: String?, _ code: String) throws {
    let cookies = try bench.signInOnTheWeb()
    let reply = bench.request("POST", "/api/auth/sign-out", [:], cookies: cookies, origin: origin)
    #expect(reply.status == 403)
    #expect(try body(reply)["code"] == .text(code))
    #expect(bench.server.state.sessions.count == 1)
    #expect(
      bench.request("GET", "/api/auth/get-session", cookies: cookies, origin: origin).status == 200)
  }

  @Test func `trusts the app by its scheme, and no callback of strangers`() throws {
    let cookies = try bench.signInOnTheWeb()
    let own = bench.request(
      "POST", "/api/auth/sign-out", [:], cookies: cookies, origin: "supastack://")
    #expect(own.status == 200)
    let foreign = bench.request(
      "POST", "/api/auth/sign-in/social", ["provider": "google", "callbackURL": "evil://x"])
    #expect(try foreign.status == 403 && body(foreign)["code"] == "INVALID_CALLBACK_URL")
  }

  // R-HAND-21
  @Test func `takes a code of six digits once`() throws {
    let code = try sendCode()
    #expect(code.utf8.count == 6 && code.utf8.allSatisfy { (0x30...0x39).contains($0) })
    #expect(type(code).status == 200)
    #expect(try body(type(code))["code"] == "INVALID_OTP")
  }

  @Test func `takes a code for 300 s`() throws {
    let code = try sendCode()
    bench.serverClock.nowMs += 300_000
    let late = type(code)
    #expect(try late.status == 400 && body(late)["code"] == "OTP_EXPIRED")
    #expect(try body(type(code))["code"] == "INVALID_OTP")
    let next = try sendCode()
    bench.serverClock.nowMs += 299_999
    #expect(type(next).status == 200)
  }

  @Test func `forgets a code after three wrong tries`() throws {
    bench.environment.isProduction = false
    let code = try sendCode()
    let wrong = code == "000000" ? "111111" : "000000"
    for _ in 0..<3 { #expect(try body(type(wrong))["code"] == "INVALID_OTP") }
    let fourth = type(code)
    #expect(try fourth.status == 403 && body(fourth)["code"] == "TOO_MANY_ATTEMPTS")
    #expect(try body(type(code))["code"] == "INVALID_OTP")
  }

  @Test func `limits tries in production, for each address`() throws {
    let code = try sendCode()
    for _ in 0..<3 { #expect(type("x").status != 429) }
    let limited = type(code)
    #expect(limited.status == 429 && limited.headers["x-retry-after"] == "10")
    #expect(type(code, from: "198.51.100.2").status == 403, "the code is gone by now")
    bench.serverClock.nowMs += 10_001
    #expect(type("x").status == 400)
    bench.environment.isProduction = false
    for _ in 0..<9 { #expect(type("x").status == 400) }
  }

  @Test func `sends three codes a minute`() throws {
    for _ in 0..<3 { _ = try sendCode() }
    let reply = bench.request(
      "POST", "/api/auth/email-otp/send-verification-otp",
      ["email": "ada@example.com", "type": "sign-in"])
    #expect(reply.status == 429 && reply.headers["x-retry-after"] == "60")
    bench.serverClock.nowMs += 60_001
    _ = try sendCode()
  }

  @Test(arguments: ["ada", "@", "ada@", "@x", "a@b@c", ""])
  func `refuses what is no address of mail`(_ email: String) {
    let reply = bench.request(
      "POST", "/api/auth/email-otp/send-verification-otp",
      ["email": .text(email), "type": "sign-in"])
    #expect(reply.status == 400 && bench.server.state.outbox.isEmpty)
  }

  @Test func `takes an answer of a provider from the browser that asked only`() throws {
    let asked = bench.request(
      "POST", "/api/auth/sign-in/social", ["provider": "google", "callbackURL": "supastack://auth"])
    let url = try #require(body(asked)["url"]?.text)
    let state = try #require(FormQuery(url.drop { $0 != "?" }.dropFirst()).single("state"))
    let token = FormText.encode(try bench.server.idToken(for: "ada@example.com"))
    let target = "/api/auth/callback/google?state=\(state)&code=\(token)"
    let stranger = bench.request("GET", target)
    #expect(stranger.headers["location"]?.hasSuffix("error=state_mismatch") == true)
    #expect(bench.server.state.sessions.isEmpty)
    let cookies = try String(#require(asked.headers["set-cookie"]).prefix { $0 != ";" })
    let back = bench.request("GET", target, cookies: cookies)
    #expect(back.headers["location"]?.hasPrefix("supastack://auth?cookie=") == true)
    #expect(bench.request("GET", target, cookies: cookies).headers["set-cookie"] == nil)
  }

  @Test func `keeps all that it knows in a document`() throws {
    let cookies = try bench.signInOnTheWeb()
    _ = try sendCode()
    _ = bench.signIn(bench.launch(.hardened).handOff)
    _ = bench.server.addPasskey(for: "ada@example.com")
    _ = bench.request("GET", "/api/auth/passkey/generate-authenticate-options")
    let text = "\(bench.server.state.stored)"
    let state = try BetterAuthState(stored: JSONReader.read(text))
    #expect(state == bench.server.state)
    let other = HandOffBench()
    other.server.state = state
    #expect(
      other.request("GET", "/api/auth/get-session", cookies: cookies).body != Array("null".utf8))
    #expect(throws: JSONError.self) { try BetterAuthState(stored: JSONReader.read("{}")) }
  }

  @Test(arguments: [
    (ServerFault.Effect.refuse(status: 500, code: nil), ServerReply.Delivery.now, false),
    (.loseRequest, .cut, false), (.loseReply, .cut, true), (.hang, .never, true),
    (.lateReply(ms: 31_000), .after(.seconds(31)), true), (.htmlReply(status: nil), .now, true),
    (.errorReply(status: 502), .now, true), (.emptyReply, .now, true), (.cutReply, .now, true),
  ]) func `fails once, as it is told`(
    _ effect: ServerFault.Effect, _ delivery: ServerReply.Delivery, _ isHandled: Bool
  ) throws {
    bench.server.faults.arm(ServerFault(effect, on: "/sign-in/social", method: "POST"))
    let token = try bench.server.idToken(for: "ada@example.com")
    let body: JSONValue = ["provider": "google", "idToken": ["token": .text(token)]]
    let request = HTTPRequest(
      "POST", "/api/auth/sign-in/social", body: JSONWriter.bytes(of: body))
    let reply = bench.server.answer(request, from: "198.51.100.1")
    #expect(reply.delivery == delivery)
    #expect(bench.server.state.sessions.count == (isHandled ? 1 : 0))
    let isJSON =
      OrderedJSON.reading(String(decoding: reply.response.body, as: UTF8.self)) != nil
    #expect(isJSON == ![.loseRequest, .htmlReply, .emptyReply, .cutReply].contains(effect.kind))
    #expect(bench.server.answer(request, from: "198.51.100.1").response.status == 200)
    #expect(bench.server.faults.entries.map(\.fired) == [1])
  }

  @Test func `has its users' sessions ended elsewhere, at once and at a request`() throws {
    let get = { (cookies: String) in
      bench.request("GET", "/api/auth/get-session", cookies: cookies).body != Array("null".utf8)
    }
    for isAtOnce in [true, false] {
      let reply = type(try sendCode())
      let cookie = try #require(reply.headers["set-cookie"]?.prefix { $0 != ";" })
      #expect(get(String(cookie)))
      if isAtOnce {
        bench.server.happen(.elsewhere(.revokeSession), to: "ada@example.com")
      } else {
        bench.server.faults.arm(ServerFault(.elsewhere(.deleteUser), on: "/get-session"))
      }
      #expect(!get(String(cookie)))
    }
    #expect(bench.server.accounts.isEmpty)
  }

  @Test func `has a clock of its own`() throws {
    let code = try sendCode()
    bench.server.happen(.serverClock(ms: 301_000), to: nil)
    #expect(try body(type(code))["code"] == "OTP_EXPIRED")
  }

  @Test func `serves each route that it names`() {
    for route in BetterAuthServer.routes {
      let method = String(route.prefix { $0 != " " })
      let path = String(route.dropFirst(method.count + 1).replacing("*", with: "google"))
      #expect(BetterAuthServer.serves("/api/auth\(path)", method: method), "\(route)")
      let isKnown = bench.request(method, "/api/auth\(path)").status != 404
      #expect(isKnown || path == "/auth", "\(route)")
    }
  }

  @Test func `answers whatever it does not understand`() {
    for (method, path) in [
      ("GET", "/"), ("PUT", "/api/auth/get-session"), ("GET", "/api/auth/"), ("GET", ""),
      ("POST", "/api/auth/sign-in/email-otp"), ("POST", "/api/auth/mobile-handoff/redeem"),
      ("GET", "/api/auth/callback/google"), ("GET", "/api/auth/expo-authorization-proxy"),
    ] {
      let reply = bench.server.answer(
        HTTPRequest(method, path, body: [0xff, 0x00]), from: "198.51.100.1")
      #expect((302...404).contains(reply.response.status), "\(method) \(path)")
      #expect(reply.response.headers["set-cookie"] == nil)
    }
  }
}
