import Chaos
import Phone
import Session
import Testing

/// A whole app with its server, under faults. R-STORE-14, R-CLIENT-3, R-MARK-8
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
    let outcome = try explore("durable", .hardened, on: phone) {
      $0.faults = [.kill, .loseReply, .lock]
    }
    #expect(outcome.violations == [], "\(phone)")
    #expect(outcome.neverFired == [])
    #expect(outcome.cases.count > 100)
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
