import Ports
import Session
import TestSupport
import Testing

@Suite struct `Recovery mode` {
  private static let marker = RecoveryMarker.name

  /// An app with Ada's session, restored from the store.
  private func launch(
    _ profile: AppProfile = .seed, marker: String? = nil, _ auth: FakeAuth = FakeAuth()
  ) -> App {
    auth.stored = auth.stored ?? makeSession("ada")
    let storage = FakePlain()
    storage.items[Self.marker] = marker
    return App(profile, auth: auth, storage: storage, at: .home)
  }

  // R-REC-1, R-REC-2
  @Test(arguments: AppProfile.allCases)
  func `stands beside authenticated and beside needs-mfa`(profile: AppProfile) {
    let app = launch(profile).start()
    app.tell(.passwordRecovery, makeSession("ada"))
    #expect(app.provider.isRecovering && app.provider.status == .authenticated)
    app.auth.levels = ("aal1", "aal2")
    app.tell(.tokenRefreshed, makeSession("ada", generation: 2))
    #expect(app.provider.isRecovering && app.provider.status == .needsMFA)
  }

  // R-REC-3, H-12
  @Test(arguments: AppProfile.allCases)
  func `begins with a typed code and with a link's code alike`(profile: AppProfile) async {
    for event in ["typed", "link"] {
      let app = App(profile).start()
      app.auth.exchangeEvent = .passwordRecovery
      app.loop.perform {
        do throws(AuthError) {
          if event == "typed" {
            _ = try await app.auth.verifyOtp(
              type: "recovery", email: "ada@example.com", token: "123456")
          } else {
            _ = try await app.auth.exchangeCodeForSession("code", flow: nil)
          }
        } catch {
          Issue.record("\(error)")
        }
      }
      #expect(app.provider.isRecovering, "\(event)")
    }
  }

  // R-REC-4, R-MARK-7
  @Test func `ends with USER_UPDATED`() {
    let app = launch().start()
    app.tell(.passwordRecovery, makeSession("ada"))
    #expect(app.storage.items[Self.marker] == "id-ada")
    app.tell(.userUpdated, makeSession("ada"))
    #expect(!app.provider.isRecovering)
    #expect(app.storage.items.isEmpty)
  }

  // R-REC-5, R-MARK-7
  @Test(arguments: AppProfile.allCases)
  func `ends with a SIGNED_IN after priming`(profile: AppProfile) {
    let app = launch(profile, marker: "id-ada").start()
    #expect(app.provider.isRecovering)
    app.tell(.signedIn, makeSession("ada", generation: 2))
    #expect(!app.provider.isRecovering)
    #expect(app.storage.items.isEmpty)
  }

  // R-REC-6, R-REC-10, R-MARK-3
  @Test(arguments: AppProfile.allCases)
  func `outlives the SIGNED_IN that a restored session is told by`(profile: AppProfile) {
    let app = launch(profile, marker: "id-ada").start()
    #expect(app.auth.calls("! SIGNED_IN").count == 1)
    #expect(app.provider.isRecovering)
    #expect(app.violations.isEmpty)
    let shown = app.frames.filter { $0.isInitialised && $0.session != nil }
    #expect(!shown.isEmpty && shown.allSatisfy(\.isRecovering))
  }

  // R-REC-5, R-REC-6, H-13
  @Test func `ends in seed if that SIGNED_IN is late, and not in hardened`() {
    for profile in AppProfile.allCases {
      let app = launch(profile, marker: "id-ada").start(replays: false)
      app.tell(.signedIn, makeSession("ada"))
      #expect(app.provider.isRecovering == (profile == .hardened), "\(profile)")
    }
  }

  // R-REC-7, R-MARK-7
  @Test(arguments: AppProfile.allCases)
  func `ends with SIGNED_OUT`(profile: AppProfile) {
    let app = launch(profile, marker: "id-ada").start()
    app.tell(.signedOut, nil)
    #expect(!app.provider.isRecovering)
    #expect(app.storage.items.isEmpty)
    #expect(app.cache.isEmpty)
  }

  // R-REC-8, R-GUARD-4
  @Test(arguments: AppProfile.allCases)
  func `leads from every screen to the new password`(profile: AppProfile) {
    let app = launch(profile, marker: "id-ada").start()
    #expect(app.navigator.route == .updatePassword)
    for route in [Route.home, .settings, .signIn] {
      app.navigator.go(to: route, by: .person)
      app.navigator.settle(app.provider.frame)
      #expect(app.navigator.route == .updatePassword, "\(route)")
    }
  }

  // R-REC-9
  @Test(arguments: [AuthEvent.initialSession, .tokenRefreshed, .mfaChallengeVerified])
  func `is left as it is by other events`(event: AuthEvent) {
    for profile in AppProfile.allCases {
      let app = launch(profile).start()
      app.tell(event, makeSession("ada"))
      #expect(!app.provider.isRecovering, "\(profile)")
      app.tell(.passwordRecovery, makeSession("ada"))
      app.tell(event, makeSession("ada", generation: 2))
      #expect(app.provider.isRecovering, "\(profile)")
    }
  }

  // R-MARK-1, R-MARK-2
  @Test(arguments: AppProfile.allCases)
  func `is marked in plain storage with the user's id, and nowhere else`(profile: AppProfile) {
    let app = launch(profile).start()
    app.tell(.passwordRecovery, makeSession("ada"))
    #expect(app.storage.items == ["makerkit.auth.recovering": "id-ada"])
  }

  // R-MARK-4
  @Test(arguments: AppProfile.allCases)
  func `drops the marker of another user`(profile: AppProfile) {
    let app = launch(profile, marker: "id-bob").start()
    #expect(!app.provider.isRecovering)
    #expect(app.storage.items.isEmpty)
    #expect(app.provider.status == .authenticated)
  }

  // R-MARK-5
  @Test(arguments: AppProfile.allCases)
  func `survives that its marker cannot be written, with one warning`(profile: AppProfile) {
    let app = launch(profile).start()
    app.storage.scripts = ["set": [.fail], "remove": [.fail]]
    app.tell(.passwordRecovery, makeSession("ada"))
    #expect(app.provider.isRecovering && app.provider.status == .authenticated)
    #expect(app.console.warnings == ["the recovery marker cannot be stored: disk full"])
    app.tell(.signedOut, nil)
    #expect(app.console.warnings.count == 2)
    #expect(!app.auth.journal.contains("listener threw"))
  }

  // R-MARK-5
  @Test(arguments: AppProfile.allCases)
  func `does not make the client wait for its marker`(profile: AppProfile) {
    let app = launch(profile).start()
    app.storage.scripts["set"] = [.wait(Gate())]
    let told: Bool? = app.loop.perform {
      await app.auth.tell(.passwordRecovery, makeSession("ada"))
      return true
    }
    #expect(told == true)
  }

  // R-MARK-6
  @Test(arguments: AppProfile.allCases)
  func `counts a marker that cannot be read as absent, and keeps the session`(profile: AppProfile) {
    let app = launch(profile, marker: "id-ada")
    app.storage.scripts["get"] = [.fail, .fail, .fail]
    app.start()
    #expect(!app.provider.isRecovering)
    #expect(app.provider.status == .authenticated)
    #expect(app.auth.calls("signOut").isEmpty)
    #expect(app.console.warnings.count == 1)
    #expect(app.storage.items[Self.marker] == "id-ada")
  }

  // R-MARK-8
  @Test(arguments: AppProfile.allCases)
  func `survives that the system kills the app`(profile: AppProfile) {
    let first = App(profile).start()
    first.loop.perform {
      do throws(AuthError) {
        _ = try await first.auth.verifyOtp(
          type: "recovery", email: "ada@example.com", token: "123456")
      } catch {
        Issue.record("\(error)")
      }
    }
    first.provider.stop()
    let second = App(profile, auth: first.auth, storage: first.storage, at: .home).start()
    #expect(second.provider.isRecovering)
    #expect(second.navigator.route == .updatePassword)
  }

  // R-MARK-9
  @Test func `set and cleared at once ends cleared, however slow the storage is`() {
    let app = launch(.hardened).start()
    let slow = Gate()
    app.storage.scripts["set"] = [.wait(slow)]
    app.tell(.passwordRecovery, makeSession("ada"))
    app.provider.passwordChanged()
    app.loop.run()
    slow.open()
    app.loop.run()
    #expect(app.storage.items.isEmpty)
  }

  // R-MARK-10
  @Test(arguments: AppProfile.allCases)
  func `drops a marker without a session`(profile: AppProfile) {
    let storage = FakePlain()
    storage.items[Self.marker] = "id-ada"
    let app = App(profile, storage: storage).start()
    #expect(!app.provider.isRecovering)
    #expect(storage.items.isEmpty)
  }

  // R-MARK-11
  @Test func `is lost in seed when the app dies between the session and the marker`() {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    // The session is saved, the event's write never began.
    let app = App(.seed, auth: auth, at: .home).start()
    #expect(!app.provider.isRecovering)
    #expect(app.navigator.route == .home)
  }

  /// What is stored after writes that end in the given order: `nil` stands for a removal.
  private func outcome(
    _ profile: AppProfile, _ writes: [String?], endingIn order: [Int]
  ) -> String? {
    let loop = TestLoop()
    let storage = FakePlain()
    let gates = writes.map { _ in Gate() }
    for (write, gate) in zip(writes, gates) {
      storage.scripts[write == nil ? "remove" : "set", default: []].append(.wait(gate))
    }
    let marker = RecoveryMarker(storage, loop, FakeConsole(Journal()), profile)
    for write in writes { marker.set(write) }
    loop.run()
    for index in order {
      gates[index].open()
      loop.run()
    }
    return storage.items[RecoveryMarker.name]
  }

  // R-MARK-9, H-13
  @Test func `ends as it was last set in all orders of the storage, except in seed`() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    var wrong: [AppProfile: Int] = [:]
    for profile in AppProfile.allCases {
      for bits in 0..<8 {
        let writes = (0..<3).map { bits >> $0 & 1 == 1 ? "id-ada" : nil }
        for order in orders where outcome(profile, writes, endingIn: order) != writes[2] {
          wrong[profile, default: 0] += 1
        }
      }
    }
    #expect(wrong == [.seed: 16])
  }
}
