import Chaos
import Phone
import Session
import Testing

/// A whole app with its server, under faults. R-STORE-14, R-CLIENT-3, R-MARK-8, R-GUARD-5, R-STATE-7
@Suite struct `Stories of an app` {
  private func explore(
    _ store: String, _ profile: AppProfile, on phone: PhoneKind = .ios,
    change: (inout SessionPlan) -> Void
  ) throws -> SessionExplorer.Outcome {
    var plan = SessionPlan(phone: phone, store: store, profile: profile)
    change(&plan)
    return try SessionExplorer(plan).run()
  }

  @Test(arguments: PhoneKind.allCases)
  func `lose nothing with durable and the hardened client`(phone: PhoneKind) throws {
    let outcome = try explore("durable", .hardened, on: phone) { _ in }
    #expect(outcome.violations == [], "\(phone)")
    #expect(outcome.neverFired == [])
    #expect(Set(outcome.cases.map(\.story)) == Set(SessionStory.allCases))
    #expect(outcome.cases.count > 1000)
  }

  @Test func `show what kills and lost replies do to an app as it is mostly written`() throws {
    let outcome = try explore("recipe", .seed) { $0.faults = [.kill, .loseReply] }
    let failures = Set(outcome.violations.map(\.judgement.verdict))
    #expect(failures.contains(.falseSignOut), "\(failures)")
    #expect(failures.contains(.guardBroken), "\(failures)")
    #expect(outcome.neverFired == [])
  }

  /// The clock is set while the app runs, so that each new token counts as expired.
  @Test func `show a storm of token calls when the clock is ahead, unless the client is hardened`()
    throws
  {
    let (seed, hardened) = (
      try explore("durable", .seed) {
        $0.stories = [.leave]
        $0.faults = [.clock]
      },
      try explore("durable", .hardened) {
        $0.stories = [.leave]
        $0.faults = [.clock]
      }
    )
    #expect(seed.violations.contains { $0.judgement.verdict == .requestStorm })
    #expect(hardened.violations == [])
  }

  /// G5: the server ends a session that is two refreshes old, and forgives one that is one old.
  @Test(arguments: PhoneKind.allCases)
  func `end once after a backup that the server refuses, and go on after one that it forgives`(
    phone: PhoneKind
  ) throws {
    for (store, profile) in [("recipe", AppProfile.seed), ("durable", .hardened)] {
      let outcome = try explore(store, profile, on: phone) {
        $0.stories = [.restore, .restoreOne]
        $0.faults = []
      }
      #expect(outcome.cases.map(\.judgement.verdict) == [.cleanOut, .keep], "\(store)")
    }
  }

  @Test func `are a false sign-out where the server would have forgiven the backup`() throws {
    let outcome = try explore("recipe", .seed) {
      $0.stories = [.restoreOne]
      $0.faults = [.limit]
    }
    #expect(outcome.violations.map(\.judgement.verdict) == [.falseSignOut])
  }

  /// The levels cannot be read from a locked keychain. H-16, R-STATE-10
  @Test func `show an app that is open without the second factor, unless it is hardened`() throws {
    let verdicts = try [AppProfile.seed, .hardened].map { profile in
      Set(
        try explore("recipe", profile) {
          $0.stories = [.challenge]
          $0.faults = [.lock]
        }.violations.map(\.judgement.verdict))
    }
    #expect(verdicts[0].contains(.guardBroken))
    #expect(!verdicts[1].contains(.guardBroken))
  }

  /// H-16, R-MFA-8
  @Test func `sign out where the factors cannot be fetched, unless the app is hardened`() throws {
    let verdicts = try [AppProfile.seed, .hardened].map { profile in
      Set(
        try explore("durable", profile) {
          $0.stories = [.challenge]
          $0.faults = [.failure]
        }.violations.map(\.judgement.verdict))
    }
    #expect(verdicts == [[.falseSignOut], []])
  }

  @Test func `come to the same twice`() throws {
    let outcomes = try (0..<2).map { _ in
      try explore("recipe", .seed) {
        $0.stories = [.reset]
        $0.faults = [.kill]
      }.cases
    }
    #expect(outcomes[0] == outcomes[1])
  }
}
