import JSON
import Session
import Testing

@Suite struct `All orders of events` {
  // R-STATE-2, R-REC-10, R-CACHE-4, R-GUARD-8, R-MARK-7
  @Test func `keep the rules in seed while the client tells of every sign-out`() {
    let exploration = StatusExploration(.seed, depth: 8, losesEvents: false)
    #expect(exploration.witnesses.isEmpty, "\(exploration.witnesses)")
    #expect(exploration.stateCount > 2_000, "\(exploration.stateCount)")
  }

  // R-CACHE-4, H-11
  @Test func `break the isolation of the cache in seed when a sign-out is lost`() {
    let exploration = StatusExploration(.seed, depth: 6, losesEvents: true)
    #expect(Set(exploration.witnesses.keys) == [.foreignCache], "\(exploration.witnesses)")
  }

  // R-STATE-2, R-REC-10, R-CACHE-4, R-GUARD-8, R-MARK-7, H-11
  @Test func `keep the rules in hardened whatever the client tells`() {
    let exploration = StatusExploration(.hardened, depth: 5, losesEvents: true)
    #expect(exploration.witnesses.isEmpty, "\(exploration.witnesses)")
    #expect(exploration.stateCount > 2_000, "\(exploration.stateCount)")
  }
}

/// Each rule is broken once, or nobody could trust that it is kept.
@Suite struct `The rules of the auth status` {
  private func frame(
    _ status: AuthStatus, _ user: String?, recovering: Bool = false
  ) -> AuthFrame {
    var frame = AuthFrame()
    frame.status = status
    frame.session = user.map { makeSession($0) }
    frame.isRecovering = recovering
    frame.isInitialised = status != .loading
    return frame
  }

  private func judge(
    _ steps: [(StatusInput, [StatusEffect], AuthFrame)]
  ) -> [StatusInvariants.Violation] {
    var invariants = StatusInvariants()
    return steps.flatMap { invariants.observe($0.0, $0.1, $0.2) }
  }

  @Test func `see a way back to loading`() {
    let steps: [(StatusInput, [StatusEffect], AuthFrame)] = [
      (.primed(.session(nil)), [], frame(.unauthenticated, nil)),
      (.primingOverdue, [], frame(.loading, nil)),
    ]
    #expect(judge(steps) == [.backToLoading])
  }

  @Test func `see a flag that comes after its session`() {
    let steps: [(StatusInput, [StatusEffect], AuthFrame)] = [
      (.primed(.session(nil)), [], frame(.authenticated, "ada")),
      (.markerRead("id-ada"), [], frame(.authenticated, "ada", recovering: true)),
    ]
    #expect(judge(steps) == [.sessionWithoutFlag])
  }

  @Test func `see what SIGNED_OUT leaves`() {
    let out = frame(.unauthenticated, nil)
    #expect(judge([(.event(.signedOut, nil), [.clearCache], out)]) == [.signedOutLeftovers])
    #expect(judge([(.event(.signedOut, nil), [.removeMarker], out)]) == [.signedOutLeftovers])
    #expect(judge([(.event(.signedOut, nil), [.clearCache, .removeMarker], out)]) == [])
  }

  /// A session whose user has a factor, with an access token of a level.
  private func session(_ claims: String) -> AuthSession {
    AuthSession([
      "access_token": .text("e30.\(claims).e30"),
      "user": ["id": "id-ada", "factors": [["status": "verified"]]],
    ])
  }

  private static let (aal1, aal2) = ("eyJhYWwiOiJhYWwxIn0", "eyJhYWwiOiJhYWwyIn0")

  // R-GUARD-5, R-STATE-4
  @Test func `see an app that is open below the level that its session needs`() {
    func steps(_ claims: String, _ status: AuthStatus) -> [StatusInvariants.Violation] {
      var frame = frame(status, nil)
      frame.session = session(claims)
      return judge([(.derived(1, .sufficient), [], frame)])
    }
    #expect(steps(Self.aal1, .authenticated) == [.openBelowLevel])
    #expect(steps(Self.aal2, .authenticated) == [])
    #expect(steps(Self.aal1, .needsMFA) == [])
  }

  // H-16, R-STATE-10
  @Test(arguments: [AppProfile.seed, .hardened])
  func `are broken by an error in seed only`(profile: AppProfile) {
    var machine = StatusMachine(profile)
    var invariants = StatusInvariants()
    var violations: [StatusInvariants.Violation] = []
    for input in [
      StatusInput.primed(.session(session(Self.aal1))), .markerRead(nil),
      .derived(1, .unknown), .derived(2, .unknown),
    ] {
      let effects = machine.take(input)
      violations += invariants.observe(input, effects, machine.frame)
    }
    #expect(machine.frame.status == (profile == .seed ? .authenticated : .needsMFA))
    #expect(violations == (profile == .seed ? [.openBelowLevel] : []))
  }

  @Test func `see a cache that another user left, and a status of another user`() {
    let steps: [(StatusInput, [StatusEffect], AuthFrame)] = [
      (.derived(1, .sufficient), [], frame(.authenticated, "ada")),
      (.event(.signedIn, makeSession("bob")), [], frame(.authenticated, "bob")),
    ]
    #expect(judge(steps) == [.foreignCache, .staleStatus])
  }
}
