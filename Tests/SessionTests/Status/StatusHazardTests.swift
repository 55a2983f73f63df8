import Ports
import Session
import TestSupport
import Testing

/// Each hazard twice: `seed` shows it, `hardened` does not.
@Suite struct `A hazard of the auth status` {
  private func launch(
    _ profile: AppProfile, stored: AuthSession? = makeSession("ada"),
    _ prepare: (FakeAuth) -> Void = { _ in }
  ) -> App {
    let auth = FakeAuth()
    auth.stored = stored
    prepare(auth)
    return App(profile, auth: auth)
  }

  // H-05, R-STORE-13
  @Test func `a store that heals itself leaves the app signed in, until hardened looks again`() {
    for (profile, expected) in [
      (AppProfile.seed, AuthStatus.authenticated), (.hardened, .unauthenticated),
    ] {
      let app = launch(profile).start()
      app.auth.stored = nil
      app.lifecycle.change(to: .background)
      app.lifecycle.change(to: .active)
      app.loop.run()
      #expect(app.provider.status == expected, "\(profile)")
      #expect(app.cache.isEmpty == (profile == .hardened), "\(profile)")
    }
  }

  // H-05
  @Test func `looking again is dropped when an event came meanwhile`() {
    let app = launch(.hardened).start()
    let gate = Gate()
    app.auth.stored = nil
    app.auth.scripts["getSession"] = [.wait(gate)]
    app.lifecycle.change(to: .active)
    app.loop.run()
    app.tell(.signedIn, makeSession("ada", generation: 2))
    gate.open()
    app.loop.run()
    #expect(app.provider.status == .authenticated)
  }

  // H-08, R-STATE-2
  @Test func `a slow cold start keeps loading in seed, and is bounded in hardened`() {
    for profile in AppProfile.allCases {
      let gate = Gate()
      let app = launch(profile) { $0.scripts["getSession"] = [.wait(gate)] }.start(replays: false)
      app.loop.advance(by: .seconds(25))
      #expect(app.provider.status == (profile == .seed ? .loading : .unauthenticated))
      #expect(app.provider.frame.isDeferred == (profile == .hardened))
      gate.open()
      app.loop.run()
      #expect(app.provider.status == .authenticated, "\(profile)")
      #expect(!app.provider.frame.isDeferred)
      #expect(app.violations.isEmpty)
    }
  }

  // H-08
  @Test func `an expired session offline looks like none in seed, and is deferred in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile) { $0.scripts["getSession"] = [.fail(.offline)] }
        .start(replays: false)
      #expect(app.provider.status == .unauthenticated)
      #expect(app.provider.frame.isDeferred == (profile == .hardened), "\(profile)")
      app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
      #expect(app.provider.status == .authenticated)
      #expect(!app.provider.frame.isDeferred)
    }
  }

  // H-08, H-13
  @Test func `a cold start offline drops the recovery marker in seed, and keeps it in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile) { $0.scripts["getSession"] = [.fail(.offline)] }
      app.storage.items[RecoveryMarker.name] = "id-ada"
      app.start(replays: false)
      app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
      #expect(app.provider.isRecovering == (profile == .hardened), "\(profile)")
      #expect(app.violations.isEmpty, "\(profile)")
    }
  }

  // H-09, R-STATE-2, R-STORE-15
  @Test func `a throwing store means loading for ever in seed, and not in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile) { $0.scripts["getSession"] = [.fail(.broken)] }
        .start(replays: false)
      app.loop.advance(by: .seconds(3600))
      #expect(app.provider.status == (profile == .seed ? .loading : .unauthenticated))
      #expect(app.provider.frame.isDeferred == (profile == .hardened))
    }
  }

  // H-11, R-API-3
  @Test func `a sign-out that fails leaves everything in seed, and cleans the app in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile).start()
      app.tell(.passwordRecovery, makeSession("ada"))
      app.auth.scripts["signOut"] = [.fail(.offline)]
      app.loop.perform { await app.provider.signOut() }
      let isClean = profile == .hardened
      #expect((app.provider.status == .unauthenticated) == isClean, "\(profile)")
      #expect(app.cache.isEmpty == isClean)
      #expect((app.storage.items[RecoveryMarker.name] == nil) == isClean)
      // The ticker goes on with the session that is still stored.
      app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
      #expect((app.provider.session == nil) == isClean)
      #expect(app.console.warnings.count == 1)
    }
  }

  // H-11
  @Test func `a sign-out that failed is made up for when hardened comes to the front`() {
    for profile in AppProfile.allCases {
      let app = launch(profile).start()
      app.auth.scripts["signOut"] = [.fail(.offline)]
      app.loop.perform { await app.provider.signOut() }
      app.lifecycle.change(to: .active)
      app.loop.run()
      #expect((app.auth.stored == nil) == (profile == .hardened), "\(profile)")
    }
  }

  // H-11, R-CACHE-3, R-CACHE-4
  @Test func `a lost SIGNED_OUT lets the next user read the cache in seed, not in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile).start()
      app.tell(.initialSession, nil)
      app.tell(.signedIn, makeSession("bob"))
      #expect(app.foreignReads.isEmpty == (profile == .hardened), "\(profile)")
      #expect(app.violations.contains(.foreignCache) == (profile == .seed))
    }
  }

  // H-12
  @Test func `a link that never reaches the app changes nothing, a code exchange does`() {
    let app = launch(.seed, stored: nil).start()
    #expect(!app.provider.isRecovering)
    app.auth.exchangeEvent = .passwordRecovery
    app.loop.perform {
      do {
        _ = try await app.auth.exchangeCodeForSession("code", flow: nil)
      } catch {
        Issue.record("\(error)")
      }
    }
    #expect(app.provider.isRecovering)
  }

  // H-13, R-REC-4
  @Test func `any update of the user ends recovery in seed, and only a new password in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile).start()
      app.tell(.passwordRecovery, makeSession("ada"))
      app.tell(.userUpdated, makeSession("ada"))
      #expect(app.provider.isRecovering == (profile == .hardened), "\(profile)")
      app.provider.passwordChanged()
      app.loop.run()
      #expect(!app.provider.isRecovering)
      #expect(app.storage.items.isEmpty)
    }
  }

  // H-13, R-MARK-9
  @Test func `marker writes that overtake each other leave it in seed, and not in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile).start()
      let slow = Gate()
      app.storage.scripts["set"] = [.wait(slow)]
      app.tell(.passwordRecovery, makeSession("ada"))
      app.tell(.signedOut, nil)
      slow.open()
      app.loop.run()
      #expect((app.storage.items[RecoveryMarker.name] == nil) == (profile == .hardened))
    }
  }

  // H-13, R-MARK-11
  @Test func `a kill before the marker opens the shell in seed, and not in hardened`() throws {
    for profile in AppProfile.allCases {
      let app = launch(profile, stored: nil).start()
      let flow = try #require(ResetCodeFlow(app.context, email: "ada@example.com"))
      // The session is saved, and the process dies while the event's write is under way.
      let never = Gate()
      app.storage.scripts["set"] = (profile == .seed ? [] : [.pass]) + [.wait(never)]
      app.loop.perform { flow.code.type("123456") }
      #expect(app.auth.calls("verifyOtp").count == 1)
      let next = App(profile, auth: app.auth, storage: app.storage, at: .home)
      app.provider.stop()
      next.start()
      #expect(next.provider.isRecovering == (profile == .hardened), "\(profile)")
      #expect(next.navigator.route == (profile == .hardened ? .updatePassword : .home))
      #expect(next.violations.isEmpty)
    }
  }

  // H-13, R-MARK-6
  @Test func `a read that fails once drops the block in seed, and is repeated in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile)
      app.storage.items[RecoveryMarker.name] = "id-ada"
      app.storage.scripts["get"] = [.fail]
      app.start()
      #expect(app.provider.isRecovering == (profile == .hardened), "\(profile)")
      #expect(app.provider.status == .authenticated)
    }
  }
}
