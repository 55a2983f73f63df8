import Session
import TestSupport
import Testing

@Suite struct `The auth status` {
  // R-STATE-1
  @Test func `has four values`() {
    #expect(
      AuthStatus.allCases.map(\.rawValue)
        == ["loading", "authenticated", "needs-mfa", "unauthenticated"])
  }

  // R-STATE-2, R-GUARD-6
  @Test(arguments: AppProfile.allCases)
  func `is loading until the first getSession settles`(profile: AppProfile) {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let gate = Gate()
    auth.scripts["getSession"] = [.wait(gate)]
    let app = App(profile, auth: auth).start()
    #expect(app.provider.status == .loading)
    #expect(app.navigator.log.isEmpty)
    gate.open()
    app.loop.run()
    #expect(app.statuses == [.loading, .authenticated])
    #expect(app.violations.isEmpty)
  }

  // R-STATE-2, R-CLIENT-3
  @Test(arguments: AppProfile.allCases)
  func `is authenticated first when a session is stored`(profile: AppProfile) {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let app = App(profile, auth: auth, at: .home).start()
    #expect(app.statuses == [.loading, .authenticated])
    #expect(app.navigator.log.isEmpty)
  }

  // R-CLIENT-3
  @Test func `is needs-mfa first when a stored session lacks its factor`() {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    auth.levels = ("aal1", "aal2")
    let app = App(auth: auth, at: .home).start()
    #expect(app.statuses == [.loading, .needsMFA])
  }

  // R-STATE-3
  @Test(arguments: AppProfile.allCases)
  func `is unauthenticated without a session`(profile: AppProfile) {
    let app = App(profile).start()
    #expect(app.statuses == [.unauthenticated])
    #expect(app.auth.calls("assuranceLevels").isEmpty)
  }

  // R-STATE-4, R-STATE-5, R-STATE-9
  @Test func `needs a factor only if the next level is the second and not reached`() {
    let levels: [String?] = [nil, "aal1", "aal2"]
    for current in levels {
      for next in levels {
        let auth = FakeAuth()
        auth.stored = makeSession("ada")
        auth.levels = (current, next)
        let isDue = next == "aal2" && current != "aal2"
        #expect(
          App(auth: auth).start().provider.status == (isDue ? .needsMFA : .authenticated),
          "\(current ?? "none") to \(next ?? "none")")
      }
    }
  }

  // R-STATE-7
  @Test func `stays needs-mfa while the refreshed session is of the first level`() {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    auth.levels = ("aal1", "aal2")
    let app = App(auth: auth).start()
    app.tell(.mfaChallengeVerified, auth.stored)
    app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
    #expect(app.provider.status == .needsMFA)
    auth.levels = ("aal2", "aal2")
    app.tell(.tokenRefreshed, makeSession("ada", generation: 3))
    #expect(app.provider.status == .authenticated)
  }

  // R-STATE-8
  @Test(arguments: AppProfile.allCases)
  func `leaves authenticated when the session goes or the user changes`(profile: AppProfile) {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let app = App(profile, auth: auth).start()
    app.tell(.signedIn, makeSession("bob"))
    #expect(app.statuses == [.loading, .authenticated, .unauthenticated, .authenticated])
    app.tell(.signedOut, nil)
    #expect(app.provider.status == .unauthenticated)
  }

  // R-STATE-10
  @Test(arguments: [AuthError.offline, .invalidToken(message: "no JWT"), .sessionMissing])
  func `fails open when the levels are unknown`(error: AuthError) {
    for profile in AppProfile.allCases {
      let auth = FakeAuth()
      auth.stored = makeSession("ada")
      auth.scripts["assuranceLevels"] = [.fail(error)]
      #expect(App(profile, auth: auth).start().provider.status == .authenticated, "\(profile)")
    }
  }

  // R-STATE-10, H-16
  @Test func `an error lifts a challenge that is due in seed, and not in hardened`() {
    for profile in AppProfile.allCases {
      let auth = FakeAuth()
      auth.stored = makeSession("ada")
      auth.levels = ("aal1", "aal2")
      let app = App(profile, auth: auth).start()
      auth.scripts["assuranceLevels"] = [.fail(.offline)]
      app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
      #expect(app.provider.status == (profile == .seed ? .authenticated : .needsMFA))
    }
  }

  // R-STATE-12, H-10
  @Test(arguments: AppProfile.allCases)
  func `is never derived on the stack of the listener`(profile: AppProfile) {
    let auth = FakeAuth()
    auth.isLocking = true
    auth.stored = makeSession("ada")
    let app = App(profile, auth: auth).start()
    app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
    app.tell(.passwordRecovery, makeSession("ada", generation: 3))
    app.tell(.signedOut, nil)
    #expect(auth.callsFromListeners == 0)
    #expect(app.provider.status == .unauthenticated)
  }

  // H-10
  @Test func `would hang if a listener asked the client for it`() {
    let auth = FakeAuth()
    auth.isLocking = true
    let loop = TestLoop()
    _ = auth.onAuthStateChange { [unowned auth] _, _ in _ = try await auth.assuranceLevels() }
    let told: Bool? = loop.perform {
      await auth.tell(.signedIn, makeSession("ada"))
      return true
    }
    #expect(told == nil)
    #expect(auth.callsFromListeners == 1)
  }

  // R-STATE-13
  @Test func `has one subscription`() {
    let app = App().start()
    #expect(app.auth.subscriptionCount == 1)
    #expect(app.auth.listeners.count == 1)
    app.provider.stop()
    #expect(app.auth.listeners.isEmpty)
  }

  // R-STATE-14
  @Test func `reaches the cache from the listener`() {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let app = App(auth: auth).start()
    #expect(!app.cache.isEmpty)
    app.tell(.signedOut, nil)
    #expect(app.cache.isEmpty)
  }

  // R-STATE-15
  @Test(arguments: AppProfile.allCases)
  func `belongs to the newest session when an older derivation is slow`(profile: AppProfile) {
    let app = App(profile).start()
    let slow = Gate()
    app.auth.scripts["assuranceLevels"] = [.wait(slow)]
    app.tell(.signedIn, makeSession("ada"))
    app.auth.levels = ("aal1", "aal2")
    app.tell(.signedIn, makeSession("bob"))
    #expect(app.provider.status == .needsMFA)
    app.auth.levels = ("aal2", "aal2")
    slow.open()
    app.loop.run()
    #expect(app.provider.status == .needsMFA)
    #expect(app.provider.frame.userID == "id-bob")
  }

  // R-STATE-16
  @Test func `of a stored session needs the levels of that session and nothing else`() {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let app = App(auth: auth).start()
    #expect(app.provider.status == .authenticated)
    #expect(
      auth.journal.filter { !$0.hasPrefix("!") }
        == ["startAutoRefresh", "getSession", "assuranceLevels"])
  }
}
