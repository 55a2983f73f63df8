import Ports
import Session
import TestSupport
import Testing

@Suite struct `The query cache` {
  private func launch(_ profile: AppProfile) -> App {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    return App(profile, auth: auth, at: .home).start()
  }

  // R-CACHE-1
  @Test(arguments: AppProfile.allCases)
  func `is cleared by SIGNED_OUT`(profile: AppProfile) {
    let app = launch(profile)
    #expect(app.cache.owners(of: "workspace") == ["id-ada"])
    app.tell(.signedOut, nil)
    #expect(app.cache.isEmpty)
  }

  // R-CACHE-2, R-CACHE-4
  @Test(arguments: AppProfile.allCases)
  func `is cleared before a frame of another user is shown`(profile: AppProfile) {
    let app = launch(profile)
    app.tell(.signedIn, makeSession("bob"))
    #expect(app.cache.owners(of: "workspace") == ["id-bob"])
    #expect(app.foreignReads.isEmpty)
    #expect(app.violations.isEmpty)
  }

  // R-CACHE-3
  @Test(arguments: AppProfile.allCases)
  func `is left alone by a first session, a refresh and a session that vanishes`(
    profile: AppProfile
  ) {
    let app = launch(profile)
    app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
    app.tell(.initialSession, nil)
    app.tell(.signedIn, makeSession("ada", generation: 3))
    #expect(app.cache.clearCount == 0)
  }
}

@Suite struct `The provider` {
  private func launch(_ profile: AppProfile = .seed) -> App {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    return App(profile, auth: auth, at: .home).start()
  }

  // R-API-1, R-API-2
  @Test func `exposes status, session, recovery and signOut`() throws {
    let app = launch()
    let hook = try AuthScope(app.provider).useAuth()
    #expect(hook.status == .authenticated)
    #expect(hook.session == makeSession("ada"))
    #expect(hook.frame.userID == "id-ada")
    #expect(!hook.isRecovering)
    app.loop.perform { await hook.signOut() }
    #expect(hook.session == nil)
  }

  // R-API-3
  @Test(arguments: AppProfile.allCases)
  func `signs out by asking the client, and cleans up by its event`(profile: AppProfile) {
    let app = launch(profile)
    app.tell(.passwordRecovery, makeSession("ada"))
    let gate = Gate()
    app.auth.scripts["signOut"] = [.wait(gate)]
    app.loop.perform { await app.provider.signOut() }
    #expect(!app.cache.isEmpty && app.storage.items.count == 1)
    gate.open()
    app.loop.run()
    #expect(app.cache.isEmpty && app.storage.items.isEmpty)
    #expect(app.steps.filter { $0 == .event(.signedOut, nil) }.count == 1)
    #expect(!app.steps.contains(.signOutUnheard))
  }

  // R-API-4
  @Test func `is missed loudly outside`() {
    #expect(throws: OutsideProvider()) { try AuthScope().useAuth() }
  }

  // R-CLIENT-1
  @Test func `shares one client with all screens`() {
    let app = launch()
    let context = app.context
    #expect(context.auth === app.auth)
    app.loop.perform {
      await SignInFlow(context).submit(
        Credentials(email: "bob@example.com", password: "correct horse"))
    }
    #expect(app.provider.frame.userID == "id-bob")
    #expect(app.auth.subscriptionCount == 1)
  }
}

@Suite struct `Auto refresh` {
  // R-LIFE-1
  @Test(arguments: AppProfile.allCases)
  func `runs while the app is active`(profile: AppProfile) {
    let app = App(profile).start()
    app.auth.journal = []
    for state in [AppState.active, .inactive, .background, .active] {
      app.lifecycle.change(to: state)
    }
    app.loop.run()
    #expect(
      app.auth.calls("start", "stop")
        == ["startAutoRefresh", "stopAutoRefresh", "stopAutoRefresh", "startAutoRefresh"])
  }

  // R-LIFE-2
  @Test(arguments: [AppState.inactive, .background])
  func `is stopped in an app that starts unseen`(state: AppState) {
    let app = App()
    app.lifecycle.change(to: state)
    app.start()
    #expect(app.auth.calls("start", "stop") == ["stopAutoRefresh"])
  }

  // R-LIFE-3, R-LIFE-4
  @Test func `is started on each return, and what it refreshes reaches the screens`() {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let app = App(.hardened, auth: auth, at: .home).start()
    app.lifecycle.change(to: .background)
    app.loop.advance(by: .seconds(7200))
    app.lifecycle.change(to: .active)
    app.lifecycle.change(to: .active)
    app.loop.run()
    #expect(app.auth.calls("startAutoRefresh").count == 3)
    app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
    #expect(app.provider.session == makeSession("ada", generation: 2))
    #expect(app.provider.status == .authenticated)
  }
}
