import JSON
import Ports
import Session
import Testing
import Wire

@Suite struct `Better Auth's client` {
  let bench = HookBench()

  private func client(_ behaviour: BetterAuthBehaviour = .expo171) -> BetterAuthClient {
    let trust = TrustSettings(scheme: "supastack", allowedOrigins: nil, isProduction: false)
    return BetterAuthClient(
      BetterAuthSetup(apiURL: "https://web.example.com", trust: trust, behaviour: behaviour),
      bench.ports)
  }

  private func reply(_ status: Int, _ body: String, _ cookie: String? = nil) {
    bench.transport.answer = { _ in
      var response = HTTPResponse(status, body: Array(body.utf8))
      response.headers["set-cookie"] = cookie
      return response
    }
  }

  private func message(_ call: () async throws(BetterAuthError) -> Void) async -> BetterAuthError? {
    do throws(BetterAuthError) {
      try await call()
      return nil
    } catch {
      return error
    }
  }

  @Test func `signs out here although the server cannot be reached`() async throws {
    bench.store.items["supastack.auth_cookie"] =
      #"{"better-auth.session_token":{"value":"a.b","expires":null}}"#
    bench.transport.answer = { _ throws(NetworkError) in throw NetworkError(message: "offline") }
    let error = await message { () throws(BetterAuthError) in try await client().signOut() }
    #expect(error == .network(NetworkError(message: "offline")))
    #expect(bench.store.items["supastack.auth_cookie"] == "{}")
    #expect(bench.transport.requests.first?.headers["cookie"] == "better-auth.session_token=a.b")
  }

  @Test func `shows the cached session until it has ended`() async throws {
    let end = Instant(ms: bench.clock.nowMs + 1).isoText
    bench.store.items["supastack.auth_session_data"] =
      #"{"session":{"id":"s","expiresAt":"\#(end)"},"user":{"id":"u"}}"#
    let one = client()
    try await one.start()
    #expect(one.session.data?["user"]?["id"] == .text("u"))
    bench.clock.nowMs += 1
    let other = client()
    try await other.start()
    #expect(other.session.data == nil && other.session.isPending)
  }

  @Test func `fetches the session again only when its value changed`() async throws {
    reply(200, "null", "better-auth.session_token=a.b; Max-Age=60")
    let one = client()
    try await one.getSession()
    #expect(bench.spawner.works.count == 1)
    await bench.spawner.run()
    #expect(bench.transport.requests.count == 2 && bench.spawner.works.isEmpty)
  }

  @Test func `leaves the cookies of others alone`() async throws {
    reply(200, "null", "__cf_bm=x")
    try await client().getSession()
    #expect(bench.store.items["supastack.auth_cookie"] == nil)
  }

  @Test func `keeps the session when the server cannot be reached`() async throws {
    reply(200, #"{"user":{"id":"u"},"session":{"id":"s"}}"#)
    let one = client()
    try await one.getSession()
    bench.transport.answer = { _ throws(NetworkError) in throw NetworkError(message: "offline") }
    await one.refetchOnFocus()
    #expect(one.session.data != nil && one.session.error != nil)
  }

  @Test func `fetches on focus at most once in five seconds`() async throws {
    let one = client()
    for _ in 0..<3 { await one.refetchOnFocus() }
    #expect(bench.transport.requests.count == 1)
    bench.clock.nowMs += 4999
    await one.refetchOnFocus()
    #expect(bench.transport.requests.count == 1)
    bench.clock.nowMs += 1
    await one.refetchOnFocus()
    #expect(bench.transport.requests.count == 2)
  }

  @Test func `says the code of a refusal, and nothing of a page`() async throws {
    reply(400, #"{"code":"INVALID_OTP","message":"Invalid OTP"}"#)
    let one = client()
    var error = await message { () throws(BetterAuthError) in
      try await one.verifyEmailOtp("a@b", code: "123456")
    }
    #expect(error == .refused(status: 400, code: "INVALID_OTP"))
    reply(502, "<html></html>")
    error = await message { () throws(BetterAuthError) in try await one.requestEmailOtp("a@b") }
    #expect(error == .refused(status: 502, code: nil))
  }

  @Test(arguments: [
    BrowserResult.cancel, .dismiss, .locked, .success("supastack://x"),
    .success("supastack://x?cookie="),
  ]) func `says nothing of a social sign-in that came to nothing`(
    _ ending: BrowserResult
  ) async throws {
    reply(200, #"{"url":"https://p.test/?state=s","redirect":true}"#)
    bench.browser.answer = { _ in ending }
    try await client().signInSocial(provider: "google", callbackURL: "/x")
    #expect(bench.browser.pages.count == 1 && bench.store.items.isEmpty)
  }

  @Test func `takes the cookie of any address after a social sign-in`() async throws {
    reply(200, #"{"url":"https://p.test/?state=s","redirect":true}"#)
    bench.browser.answer = { _ in
      .success("evil://x?cookie=better-auth.session_token%3Devil.sig")
    }
    try await client().signInSocial(provider: "google", callbackURL: "/x")
    #expect(bench.store.items["supastack.auth_cookie"]?.contains("evil.sig") == true)
  }
}
