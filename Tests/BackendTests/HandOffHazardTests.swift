import Backend
import Crypto
import JSON
import Ports
import Session
import TestSupport
import Testing
import Wire

/// Each hazard of the hand-off in pairs: the seed shows it, the hardened app does not.
@Suite struct `A hazard of the hand-off` {
  let bench = HandOffBench()

  // H-06
  @Test(arguments: [
    NativeError(message: "Another web browser is already open"),
    NativeError(message: "The WebBrowser's auth session is in an invalid state"),
  ]) func `is a second tap while the browser is open`(_ second: NativeError) throws {
    for profile in HandOffProfile.allCases {
      let bench = HandOffBench()
      let handOff = bench.launch(profile).handOff
      bench.person.isStuck = true
      let first = bench.loop.begin { await handOff.signIn() }
      bench.person.isStuck = false
      bench.person.refusal = second
      let outcome = bench.signIn(handOff)
      bench.person.refusal = nil
      bench.person.letGo()
      bench.loop.run()
      switch profile {
      case .seed: #expect(outcome == .failed(.browserFailed) && first() == .failed(.stateMismatch))
      case .hardened: #expect(outcome == .cancelled && first() == .signedIn)
      }
    }
  }

  // H-22
  @Test func `is a long jar that the seed writes past its chunks`() async throws {
    for profile in HandOffProfile.allCases {
      let bench = HandOffBench()
      let app = bench.launch(profile)
      try await app.client.received("/x", ["better-auth.long=\(HandOffBench.longValue)"], nil)
      #expect(bench.signIn(app.handOff) == .signedIn)
      let jar = OrderedJSON.reading(try await bench.jar ?? "")
      #expect(jar?["__Secure-better-auth.session_token"] != nil)
      #expect((jar?["better-auth.long"] != nil) == (profile == .hardened))
    }
  }

  // H-22
  @Test func `is a write error that the library swallows`() async throws {
    for behaviour in BetterAuthBehaviour.allCases {
      let bench = HandOffBench()
      bench.store.failsWrite = { _ in true }
      let client = bench.launch(.seed, behaviour).client
      try await client.received("/x", ["better-auth.session_token=a.b"], nil)
      #expect(try await bench.jar == nil && bench.console.lines.count == 1)
      #expect(bench.signIn(bench.launch(.seed, behaviour).handOff) == .failed(.cookieStoreFailed))
    }
  }

  // H-22
  @Test func `is two replies at once, of which one is lost`() async throws {
    for behaviour in [BetterAuthBehaviour.expo171, .hardened] {
      let bench = HandOffBench()
      let client = bench.launch(.seed, behaviour).client
      bench.slowReads()
      let one = bench.loop.begin { await bench.took(client, "better-auth.one=1") }
      let two = bench.loop.begin { await bench.took(client, "better-auth.two=2") }
      while one() == nil || two() == nil { bench.passReads() }
      let jar = OrderedJSON.reading(bench.store.items[HandOffBench.cookieItem] ?? "")
      let found = ["better-auth.one", "better-auth.two"].filter { jar?[$0] != nil }
      #expect(found.count == (behaviour == .hardened ? 2 : 1), "\(behaviour)")
    }
  }

  // H-23
  @Test func `is a session in an address that another app reads`() throws {
    for profile in HandOffProfile.allCases {
      let bench = HandOffBench()
      var stolen = ""
      bench.person.tamper = { address in
        stolen = address
        return "supastack:lost"
      }
      #expect(bench.signIn(bench.launch(profile).handOff) == .failed(.untrustedCallback))
      let token = try #require(bench.server.state.sessions.first?.token)
      #expect(stolen.contains(token) == (profile == .seed))
      let query = FormQuery(stolen.drop { $0 != "?" }.dropFirst())
      let pair = query.single("cookie").map { String($0.prefix { $0 != ";" }) } ?? ""
      let session = bench.request("GET", "/api/auth/get-session", cookies: pair)
      #expect((session.body != Array("null".utf8)) == (profile == .seed))
    }
  }

  // H-23
  @Test func `is gone with a code that only its maker can redeem, once, and for a minute`() throws {
    let verifier = "the app's secret"
    let challenge = Base64URL.encode(try sha256(Array(verifier.utf8)))
    let link = FormText.encode("supastack://auth/callback?state=x")
    let cookies = try bench.signInOnTheWeb()
    func code() throws -> String {
      let target = "/api/auth/mobile-handoff?mobile_callback=\(link)&mobile_challenge=\(challenge)"
      let location = try #require(
        bench.request("GET", target, cookies: cookies).headers["location"])
      #expect(!location.contains("cookie"))
      return try #require(FormQuery(location.drop { $0 != "?" }.dropFirst()).single("code"))
    }
    func redeem(_ code: String, _ verifier: String) -> HTTPResponse {
      bench.request(
        "POST", "/api/auth/mobile-handoff/redeem",
        ["code": .text(code), "verifier": .text(verifier)])
    }
    let first = try code()
    #expect(redeem(first, "another").status == 400)
    #expect(redeem(first, verifier).status == 400, "the first try spent it")
    let second = try code()
    let reply = redeem(second, verifier)
    #expect(reply.status == 200 && reply.headers["set-cookie"]?.contains("session_token=") == true)
    #expect(redeem(second, verifier).status == 400)
    let third = try code()
    bench.serverClock.nowMs += 60_000
    #expect(redeem(third, verifier).status == 400)
  }

  // H-23
  @Test func `can be forbidden by the server`() throws {
    bench.environment.requiresChallenge = true
    #expect(bench.signIn(bench.launch(.hardened).handOff) == .signedIn)
    let other = HandOffBench()
    other.environment.requiresChallenge = true
    #expect(other.signIn(other.launch(.seed).handOff) == .cancelled)
    #expect(other.person.callbacks == [] && other.store.items.isEmpty)
  }

  // H-27
  @Test func `is a browser that never says anything`() throws {
    for profile in HandOffProfile.allCases {
      let bench = HandOffBench()
      bench.person.isStuck = true
      let handOff = bench.launch(profile).handOff
      let outcome = bench.loop.begin { await handOff.signIn() }
      #expect(outcome() == nil)
      bench.loop.advance(by: .seconds(3600))
      #expect(outcome() == (profile == .seed ? nil : .failed(.browserFailed)))
      bench.person.letGo()
      bench.loop.run()
    }
  }

  @Test func `is a late reply that brings cookies back after a sign-out`() async throws {
    for behaviour in [BetterAuthBehaviour.expo171, .hardened] {
      let bench = HandOffBench()
      let app = bench.launch(.seed, behaviour)
      #expect(bench.signIn(app.handOff) == .signedIn)
      bench.serverClock.nowMs += 2 * 86_400_000  // The next reply renews the cookie.
      bench.wire.isHeld = true
      let late = bench.loop.begin { await bench.session(app.client) }
      bench.wire.isHeld = false
      bench.wire.isOffline = true
      _ = bench.loop.begin { await bench.signedOut(app.client) }
      #expect(try await bench.jar == "{}")
      bench.wire.isOffline = false
      bench.wire.letGo()
      bench.loop.run()
      #expect(late() != nil)
      let isBack = try await bench.jar != "{}"
      #expect(isBack == (behaviour == .expo171), "\(behaviour)")
    }
  }
}

extension HandOffBench {
  func took(_ client: BetterAuthClient, _ cookie: String) async -> Bool {
    do {
      try await client.received("/x", [cookie], nil)
      return true
    } catch {
      return false
    }
  }

  func session(_ client: BetterAuthClient) async -> Bool {
    do { return try await client.getSession() != nil } catch { return false }
  }

  func signedOut(_ client: BetterAuthClient) async -> Bool {
    do {
      try await client.signOut()
      return true
    } catch {
      return false
    }
  }

  /// From now on a read waits for ``passReads()``.
  func slowReads() { store.isSlow = true }

  func passReads() {
    store.pass()
    loop.run()
  }
}
