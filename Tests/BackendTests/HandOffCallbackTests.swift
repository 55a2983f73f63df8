import Backend
import JSON
import Ports
import Session
import TestSupport
import Testing
import Wire

/// Callbacks that come when they should not.
@Suite struct `A callback` {
  let bench = HandOffBench()

  // R-HAND-6
  @Test(arguments: HandOffProfile.allCases)
  func `of an earlier attempt changes nothing`(_ profile: HandOffProfile) async throws {
    bench.fill([("other", "o")])
    let app = bench.launch(profile)
    bench.person.tamper = { _ in "supastack:lost" }
    #expect(bench.signIn(app.handOff) == .failed(.untrustedCallback))
    let first = try #require(bench.person.callbacks.first)
    let before = try await bench.jar
    bench.person.tamper = { _ in first }
    #expect(bench.signIn(app.handOff) == .failed(.stateMismatch))
    #expect(try await bench.jar == before)
  }

  // R-HAND-6
  @Test(arguments: HandOffProfile.allCases)
  func `without an attempt changes nothing`(_ profile: HandOffProfile) async throws {
    bench.fill([("other", "o")])
    let before = try await bench.jar
    for address in [
      "supastack://auth/callback?state=x&cookie=better-auth.session_token%3Da.b",
      "supastack://auth/callback?cookie=better-auth.session_token%3Da.b",
      "supastack://auth/callback?state=&cookie=better-auth.session_token%3Da.b",
    ] {
      #expect(await bench.launch(profile).handOff.accept(address) == .failed(.stateMismatch))
    }
    #expect(try await bench.jar == before)
  }

  // R-HAND-6
  @Test(arguments: HandOffProfile.allCases)
  func `that came before changes nothing`(_ profile: HandOffProfile) async throws {
    let app = bench.launch(profile)
    #expect(bench.signIn(app.handOff) == .signedIn)
    let before = try await bench.jar
    let address = try #require(bench.person.callbacks.first)
    #expect(await app.handOff.accept(address) == .failed(.stateMismatch))
    #expect(await bench.launch(profile).handOff.accept(address) == .failed(.stateMismatch))
    #expect(try await bench.jar == before)
  }

  /// An app that is killed behind the browser, and the address with which the system starts it again.
  private func coldStart(_ profile: HandOffProfile, afterMs: Int64 = 60_000) async throws -> String
  {
    bench.person.ending = .dismiss
    #expect(bench.signIn(bench.launch(profile).handOff) == .cancelled)
    bench.person.ending = nil
    bench.clock.nowMs += afterMs
    bench.serverClock.nowMs += afterMs
    let page = try #require(bench.person.pages.last)
    return try #require(bench.person.finish(page))
  }

  // R-HAND-24, H-07, G11
  @Test func `at a cold start is lost with a nonce in memory`() async throws {
    let address = try await coldStart(.seed)
    #expect(await bench.launch(.seed).handOff.accept(address) == .failed(.stateMismatch))
    #expect(try await bench.jar == nil)
  }

  // R-HAND-24, H-07, G11
  @Test func `at a cold start signs in once where the attempt was kept`() async throws {
    let address = try await coldStart(.hardened)
    let app = bench.launch(.hardened)
    #expect(await app.handOff.accept(address) == .signedIn)
    bench.loop.release()
    #expect(app.client.session.data != nil)
    #expect(await app.handOff.accept(address) == .failed(.stateMismatch))
    let foreign = "supastack://auth/callback?state=foreign&code=x"
    #expect(await bench.launch(.hardened).handOff.accept(foreign) == .failed(.stateMismatch))
    #expect(
      bench.store.items.keys.sorted() == [HandOffBench.cookieItem, "supastack.auth_session_data"])
  }

  // R-HAND-24, H-07
  @Test func `of a dismissed sheet is accepted by the running app where the attempt was kept`()
    async throws
  {
    for profile in HandOffProfile.allCases {
      let bench = HandOffBench()
      let app = bench.launch(profile)
      bench.person.ending = .dismiss
      #expect(bench.signIn(app.handOff) == .cancelled)
      let address = try #require(bench.person.finish(bench.person.pages.last ?? ""))
      let late = await app.handOff.accept(address)
      #expect(late == (profile == .seed ? .failed(.stateMismatch) : .signedIn))
    }
  }

  // R-HAND-24
  @Test func `that came as a link before the browser said so is one sign-in`() async throws {
    for profile in HandOffProfile.allCases {
      let bench = HandOffBench()
      let handOff = bench.launch(profile).handOff
      bench.person.isStuck = true
      let outcome = bench.loop.begin { await handOff.signIn() }
      let address = try #require(bench.person.finish(bench.person.pages.last ?? ""))
      #expect(await handOff.accept(address) == .signedIn)
      bench.person.ending = .success(address)
      bench.person.letGo()
      bench.loop.run()
      #expect(outcome() == (profile == .seed ? .failed(.stateMismatch) : .signedIn))
    }
  }

  // H-07
  @Test(arguments: [(600_000, true), (600_001, false), (-1, false)])
  func `is accepted for ten minutes`(_ afterMs: Int64, _ isAccepted: Bool) async throws {
    let address = try await coldStart(.hardened, afterMs: afterMs)
    let outcome = await bench.launch(.hardened).handOff.accept(address)
    #expect(outcome == (isAccepted ? .signedIn : .failed(.stateMismatch)))
  }

  // H-07
  @Test func `with a foreign nonce takes nobody's place`() async throws {
    let address = try await coldStart(.hardened)
    let app = bench.launch(.hardened)
    let forged = "supastack://auth/callback?state=forged&code=x"
    #expect(await app.handOff.accept(forged) == .failed(.stateMismatch))
    #expect(await app.handOff.accept(address) == .signedIn)
  }

  // R-HAND-24, R-HAND-26
  @Test(arguments: HandOffProfile.allCases)
  func `can follow an expired session`(_ profile: HandOffProfile) async throws {
    let app = bench.launch(profile)
    #expect(bench.signIn(app.handOff) == .signedIn)
    bench.clock.nowMs += 8 * 86_400_000
    bench.serverClock.nowMs += 8 * 86_400_000
    #expect(try await app.client.cookieHeader() == "")
    #expect(try await app.client.getSession() == nil)
    #expect(bench.wire.requests.last?.headers["cookie"] == nil)
    #expect(app.client.session.data == nil)
    let other = HandOffBench()
    other.store.items = bench.store.items
    #expect(other.signIn(other.launch(profile).handOff) == .signedIn)
  }

  // R-HAND-26
  @Test func `is for a session that another clock still takes for good`() async throws {
    let app = bench.launch(.hardened)
    #expect(bench.signIn(app.handOff) == .signedIn)
    bench.serverClock.nowMs += 8 * 86_400_000
    #expect(try await app.client.cookieHeader() != "")
    #expect(try await app.client.getSession() == nil)
    #expect(try await bench.jar == "{}")
  }
}
