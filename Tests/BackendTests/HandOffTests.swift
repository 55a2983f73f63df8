import Backend
import JSON
import Ports
import Session
import TestSupport
import Testing
import Wire

@Suite struct `A hand-off` {
  let bench = HandOffBench()

  // R-HAND-1
  @Test(arguments: HandOffProfile.allCases)
  func `opens the page with the deep link`(_ profile: HandOffProfile) async throws {
    _ = bench.signIn(bench.launch(profile).handOff)
    let page = try #require(bench.person.pages.first)
    #expect(page.hasPrefix("https://web.example.com/auth?mobile_callback=supastack%3A%2F%2Fauth"))
    let query = FormQuery(page.drop { $0 != "?" }.dropFirst())
    let link = try CallbackURL(#require(query.single("mobile_callback")))
    #expect(link.scheme == "supastack" && link.host == "auth" && link.path == "/callback")
    #expect((query.single("mobile_challenge") != nil) == (profile == .hardened))
  }

  // R-HAND-2, R-HAND-3
  @Test(arguments: Person.Way.allCases, HandOffProfile.allCases)
  func `brings the session of any way to sign in`(
    _ way: Person.Way, _ profile: HandOffProfile
  ) async throws {
    bench.person.way = way
    let app = bench.launch(profile)
    #expect(bench.signIn(app.handOff) == .signedIn)
    #expect(bench.person.paths.last == "GET /api/auth/mobile-handoff")
    let callback = try CallbackURL(#require(bench.person.callbacks.first))
    #expect(callback.scheme == "supastack" && callback.host == "auth")
    #expect(callback.path == "/callback" && callback.single("state") != nil)
    #expect(callback.has("cookie") == (profile == .seed))
    #expect(callback.has("code") == (profile == .hardened))
    bench.loop.release()
    #expect(app.client.session.data?["user"]?["email"] == .text("ada@example.com"))
  }

  // R-HAND-4
  @Test func `has a nonce of its own each time`() async {
    bench.person.ending = .cancel
    let app = bench.launch(.seed)
    for _ in 0..<1000 { _ = bench.signIn(app.handOff) }
    let nonces = Set(bench.person.pages.map { $0.suffix(43) })
    #expect(nonces.count == 1000, "32 bytes each, as 43 characters")
  }

  // R-HAND-5
  @Test(
    arguments: [
      "", "state=", "state=%N", "state=N%", "state=UPPER", "state=lower", "state=PREFIX",
      "state=N&state=N", "state=N&state=x", "state=ESCAPED", "STATE=N", "state=NN", "state=N+",
    ], HandOffProfile.allCases)
  func `accepts its nonce only unchanged`(_ shape: String, _ profile: HandOffProfile) async throws {
    bench.fill([("other", "o")])
    bench.person.tamper = { address in
      let parts = address.split(separator: "?")
      let pairs = parts[1].split(separator: "&").map(String.init)
      let nonce = pairs.first { $0.hasPrefix("state=") }.map { String($0.dropFirst(6)) } ?? ""
      let escaped = nonce.utf8.map { "%\(String($0, radix: 16))" }.joined()
      let other = shape.replacing("UPPER", with: nonce.uppercased())
        .replacing("lower", with: nonce.lowercased())
        .replacing("PREFIX", with: nonce.dropLast())
        .replacing("ESCAPED", with: escaped).replacing("NN", with: nonce + nonce)
        .replacing("%N", with: "%20" + nonce).replacing("N%", with: nonce + "%20")
        .replacing("=N", with: "=" + nonce)
      let rest = pairs.filter { !$0.hasPrefix("state=") }
      return parts[0] + "?" + (rest + (other.isEmpty ? [] : [other])).joined(separator: "&")
    }
    let before = bench.store.items[HandOffBench.cookieItem]
    #expect(bench.signIn(bench.launch(profile).handOff) == .failed(.stateMismatch))
    #expect(bench.store.items[HandOffBench.cookieItem] == before)
  }

  // R-HAND-7
  @Test(arguments: HandOffProfile.allCases)
  func `leaves the other cookies of the jar alone`(_ profile: HandOffProfile) async throws {
    bench.fill([("other", "o"), ("__Secure-better-auth.session_token", "old.sig"), ("z", "1")])
    #expect(bench.signIn(bench.launch(profile).handOff) == .signedIn)
    let jar = try #require(bench.store.items["supastack.auth_cookie"])
    let cookies = try #require(OrderedJSON.reading(jar))
    #expect(cookies["other"]?["value"] == .text("o") && cookies["z"]?["value"] == .text("1"))
    let session = try #require(cookies["__Secure-better-auth.session_token"]?["value"]?.text)
    #expect(session.hasPrefix(try #require(bench.server.state.sessions.last?.token)))
  }

  // R-HAND-8
  @Test(arguments: HandOffProfile.allCases)
  func `writes the jar, tells, and then the session is fetched with it`(
    _ profile: HandOffProfile
  ) async throws {
    let app = bench.launch(profile)
    #expect(bench.signIn(app.handOff) == .signedIn)
    #expect(try await bench.jar?.contains("session_token") == true)
    #expect(bench.loop.names.last == "better-auth session signal")
    #expect(!bench.wire.requests.contains { $0.path == "/api/auth/get-session" })
    bench.loop.release()
    let fetch = try #require(bench.wire.requests.last)
    #expect(fetch.path == "/api/auth/get-session")
    #expect(fetch.headers["cookie"]?.contains("session_token=") == true)
    #expect(app.client.session.isPending == false && app.client.session.data != nil)
  }

  // R-HAND-9
  @Test(arguments: [BrowserResult.cancel, .dismiss], HandOffProfile.allCases)
  func `ends in silence when the sheet is dismissed`(
    _ ending: BrowserResult, _ profile: HandOffProfile
  ) async throws {
    bench.fill([("other", "o")])
    bench.person.ending = ending
    let before = bench.store.items[HandOffBench.cookieItem]
    #expect(bench.signIn(bench.launch(profile).handOff) == .cancelled)
    #expect(bench.store.items[HandOffBench.cookieItem] == before)
    #expect(bench.console.lines == [] && !bench.loop.names.contains("better-auth session signal"))
  }

  // R-HAND-17
  @Test(arguments: [false, true], [false, true])
  func `works only if app and server know the same scheme`(
    _ isNewApp: Bool, _ isNewServer: Bool
  ) async throws {
    bench.trust.scheme = isNewApp ? "newstack" : "supastack"
    bench.environment.appScheme = isNewServer ? "newstack" : "supastack"
    let outcome = bench.signIn(bench.launch(.seed).handOff)
    #expect((outcome == .signedIn) == (isNewApp == isNewServer), "\(outcome)")
    #expect(isNewApp == isNewServer || bench.store.items.isEmpty)
  }

  // R-HAND-21
  @Test func `has mail codes beside it`() async throws {
    let client = bench.launch(.seed).client
    try await client.requestEmailOtp("ada@example.com")
    let code = try #require(bench.server.state.outbox.last?.code)
    try await client.verifyEmailOtp("ada@example.com", code: code)
    #expect(try await client.getSession()?["user"]?["email"] == .text("ada@example.com"))
  }

  // R-HAND-21
  @Test(arguments: ["apple", "google"])
  func `has providers beside it`(_ provider: String) async throws {
    let client = bench.launch(.seed).client
    try await client.signInSocial(provider: provider, callbackURL: "/auth/callback")
    #expect(bench.person.pages.first?.contains("/expo-authorization-proxy?") == true)
    #expect(try await client.getSession()?["user"]?["email"] == .text("ada@example.com"))
  }

  // R-HAND-21
  @Test func `has a provider's own token beside it, sent without cookies`() async throws {
    bench.fill([("other", "o")])
    let client = bench.launch(.seed).client
    let token = try bench.server.idToken(for: "ada@example.com")
    try await client.signInSocial(provider: "apple", callbackURL: "/x", idToken: token)
    let request = try #require(bench.wire.requests.first)
    #expect(request.headers["cookie"] == nil && request.headers["expo-origin"] == nil)
    #expect(try await client.getSession() != nil)
  }

  // R-HAND-22
  @Test(arguments: [nil, "", "false", "TRUE", "1", " true"])
  func `offers passkeys only if the server says true`(_ flag: String?) async throws {
    bench.environment.authPasskeyEnabled = flag
    let app = bench.launch(.seed)
    #expect(await !app.client.offersPasskeys())
    #expect(bench.signIn(app.handOff, withPasskey: true) == .failed(.passkeyUnavailable))
    #expect(bench.person.pages == [])
    #expect(bench.request("GET", "/api/auth/passkey/generate-authenticate-options").status == 404)
    let page = "/auth?mobile_callback=supastack%3A%2F%2Fauth%3Fstate%3Dx"
    let html = bench.request("GET", page)
    #expect(html.status == 200 && !String(decoding: html.body, as: UTF8.self).contains("passkey"))
    bench.environment.authPasskeyEnabled = "true"
    #expect(await app.client.offersPasskeys())
    #expect(
      String(decoding: bench.request("GET", page).body, as: UTF8.self).contains("passkey"))
  }

  // R-HAND-23
  @Test(arguments: [
    "/passkey/generate-register-options", "/passkey/verify-registration", "/passkey/delete-passkey",
    "/two-factor/enable", "/two-factor/get-totp-uri",
  ]) func `sets nothing up for an app`(_ path: String) {
    for method in ["GET", "POST"] {
      #expect(bench.request(method, "/api/auth\(path)", [:]).status == 404)
    }
  }
}
