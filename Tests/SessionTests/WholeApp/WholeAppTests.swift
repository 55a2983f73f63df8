import Crypto
import JSON
import Ports
import Session
import TestSupport
import Testing

/// The status machine and the screens over the client that follows auth-js call by call.
@Suite struct `The app over the real client` {
  private static let versions = [SDKVersion(2, 106, 2), .current]
  private static let all = AppProfile.allCases.flatMap { profile in
    versions.map { (profile, $0) }
  }

  private func store(
    _ secondsLeft: Int64, marker: String? = nil
  ) -> (OneUserServer, AppDisk) -> Void {
    { server, disk in
      disk.items[WholeApp.item] = JSONWriter.text(of: server.session(secondsLeft: secondsLeft))
      disk.plain.items[RecoveryMarker.name] = marker
    }
  }

  // R-CLIENT-3, R-STATE-2, R-STATE-16
  @Test func `restores a session without a request, and without a word of signing in`() {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk, store(3600))
      app.server.isOffline = true
      app.loop.run()
      #expect(app.statuses == [.loading, .authenticated], "\(profile) \(sdk)")
      #expect(app.server.requests.isEmpty)
      #expect(app.navigator.log.isEmpty)
      #expect(app.violations.isEmpty)
    }
  }

  // R-STATE-4, R-STATE-9
  @Test func `leads a restored session without its factor to the challenge`() {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk) { server, disk in
        server.hasFactor = true
        store(3600)(server, disk)
      }
      #expect(app.statuses == [.loading, .needsMFA], "\(profile) \(sdk)")
      #expect(app.navigator.route == .mfaChallenge(next: nil))
    }
  }

  // R-REC-6, R-REC-10, R-MARK-3, R-MARK-8
  @Test func `restores recovery through the replay of SIGNED_IN`() {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk, store(3600, marker: "id-ada"))
      #expect(app.provider.isRecovering, "\(profile) \(sdk)")
      #expect(app.navigator.log.map(\.target) == [.updatePassword])
      #expect(app.violations.isEmpty)
    }
  }

  // R-REC-2, R-REC-3, R-GUARD-4, R-RESET-6, R-OTP-3, R-OTP-5
  @Test func `resets a password from the code to the way home`() throws {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk)
      #expect(app.navigator.route == .signIn)
      app.navigator.go(to: .resetPassword, by: .person)
      app.loop.perform { await ResetRequestFlow(app.context).submit("ada@example.com") }
      let code = try #require(ResetCodeFlow(app.context, email: "ada@example.com"))
      code.code.type("123456")
      app.loop.run()
      #expect(app.navigator.route == .updatePassword, "\(profile) \(sdk)")
      #expect(app.disk.plain.items == [RecoveryMarker.name: "id-ada"])
      let form = NewPasswordFlow(app.context)
      app.loop.perform { await form.submit("correct horse", repeated: "correct horse") }
      #expect(app.navigator.route == .home)
      #expect(app.disk.plain.items.isEmpty)
      #expect(app.violations.isEmpty)
    }
  }

  // R-LIFE-2, R-LIFE-3, R-LIFE-4
  @Test func `refreshes nothing while unseen, and once when it is seen again`() {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk, store(3600))
      app.lifecycle.change(to: .background)
      app.loop.run()
      app.loop.advance(by: .seconds(7200))
      #expect(app.server.refreshes == 0, "\(profile) \(sdk)")
      app.lifecycle.change(to: .active)
      app.lifecycle.change(to: .active)
      app.loop.run()
      app.loop.advance(by: .seconds(60))
      #expect(app.server.refreshes == 1, "\(profile) \(sdk)")
      #expect(app.provider.session?.refreshToken == "refresh-2")
      #expect(app.provider.status == .authenticated)
    }
  }

  // H-08, R-STATE-2
  @Test func `offline with an expired session is loading for long in seed, not in hardened`() {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk) { server, disk in
        store(-10)(server, disk)
        server.isOffline = true
      }
      app.loop.advance(by: AuthProvider.primingMax)
      #expect((app.provider.status == .loading) == (profile == .seed), "\(profile) \(sdk)")
      app.loop.advance(by: .seconds(20))
      #expect((app.provider.status == .loading) == (profile == .seed), "\(profile) \(sdk)")
      app.loop.advance(by: .seconds(60))
      #expect(app.provider.status != .loading)
      #expect(app.disk.items[WholeApp.item] != nil)
      app.server.isOffline = false
      app.loop.advance(by: .seconds(120))
      #expect(app.provider.status == .authenticated, "\(profile) \(sdk)")
      #expect(app.violations.isEmpty)
    }
  }

  // H-09, R-STORE-15
  @Test func `with a store that throws is loading for ever in seed, and not in hardened`() {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk) { server, disk in
        store(3600)(server, disk)
        disk.failure = .native(NativeError(message: "keychain locked"))
      }
      app.loop.advance(by: .seconds(30))
      #expect((app.provider.status == .loading) == (profile == .seed), "\(profile) \(sdk)")
      app.disk.failure = nil
      app.lifecycle.change(to: .active)
      app.loop.advance(by: .seconds(60))
      let expected: AuthStatus = profile == .seed ? .loading : .authenticated
      #expect(app.provider.status == expected, "\(profile) \(sdk)")
    }
  }

  // H-05, R-STORE-13
  @Test func `with a store that healed itself stays signed in in seed, and not in hardened`() {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk, store(3600))
      app.disk.items = [:]
      app.lifecycle.change(to: .active)
      app.loop.advance(by: .seconds(60))
      let expected: AuthStatus = profile == .seed ? .authenticated : .unauthenticated
      #expect(app.provider.status == expected, "\(profile) \(sdk)")
    }
  }

  // H-11, R-API-3
  @Test func `signs out offline in hardened, and not with an expired session in seed`() {
    for (profile, sdk) in Self.all {
      let app = WholeApp(profile, sdk: sdk, store(3600))
      app.lifecycle.change(to: .background)
      app.loop.run()
      app.loop.advance(by: .seconds(7200))
      app.server.isOffline = true
      app.loop.perform { await app.provider.signOut() }
      app.loop.advance(by: .seconds(60))
      #expect((app.provider.session == nil) == (profile == .hardened), "\(profile) \(sdk)")
    }
  }

  // H-17, R-OAUTH-4
  @Test func `exchanges a code by another flow's verifier in seed, not in hardened`() throws {
    for profile in AppProfile.allCases {
      let app = WholeApp(profile)
      let browser = ScriptedBrowser()
      let gate = Gate()
      browser.gates = [gate]
      browser.results = [.success(.success("\(OAuthFlow.redirect)?code=c"))]
      let flow = OAuthFlow(app.context, browser, OAuthAttempts(app.disk.plain, app.console))
      app.loop.perform { await flow.signIn("google") }
      // Behind the browser, somebody asks for a reset.
      app.loop.perform { await ResetRequestFlow(app.context).submit("bob@example.com") }
      gate.open()
      app.loop.run()
      let url = try #require(browser.opened.first?.url)
      let challenge = try #require(
        url.split(whereSeparator: { "?&".contains($0) }).first { $0.hasPrefix("code_challenge=") })
      let digest = try sha256(Array(try #require(app.server.verifier).utf8))
      let fits = challenge.dropFirst("code_challenge=".count) == Base64URL.encode(digest)
      #expect(fits == (profile == .hardened), "\(profile)")
    }
  }
}
