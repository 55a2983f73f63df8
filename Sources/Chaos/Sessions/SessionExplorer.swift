import Device

/// Plays each story of a plan once without a fault, and then once for each fault at each place where
/// it can tell something new.
///
/// A kill, a power cut or a lock between two places at which nothing outside the app's memory has
/// changed leaves what the former leaves, so only the first is played; a request is hit each time.
package final class SessionExplorer {
  /// What one story with one fault came to.
  package struct Case: Equatable, Sendable {
    package let story: SessionStory
    /// `nil` for the control.
    package let fault: SessionFault?
    /// Where the launch after the fault was killed again, as a step of the app.
    package let secondKill: Int?
    /// What the app was about to do.
    package let call: String
    package let judgement: Judgement
  }

  package struct Outcome: Sendable {
    package let plan: SessionPlan
    package internal(set) var cases: [Case] = []
    /// Faults that fell nowhere: a defect of the lab.
    package internal(set) var neverFired: [SessionFault] = []
    package internal(set) var wasInterrupted = false

    package var violations: [Case] { cases.filter { $0.judgement.verdict.isFailure } }
  }

  private let plan: SessionPlan
  /// Asked between two cases.
  package var shouldStop: () -> Bool = { false }
  /// Told of each case: what it was, how many were played, and how many there are.
  package var progress: (_ story: SessionStory, _ done: Int, _ of: Int) -> Void = { _, _, _ in }
  private var outcome: Outcome

  package init(_ plan: SessionPlan) {
    self.plan = plan
    outcome = Outcome(plan: plan)
  }

  /// - Throws: ``PhoneHostError`` when the lab could not play a case.
  package func run() throws(PhoneHostError) -> Outcome {
    for story in plan.stories where !stops() {
      let (steps, requestCount) = try control(story)
      let faults =
        plan.onlyFault.map { [$0] } ?? Self.faults(plan, at: steps, requestCount)
      for (index, fault) in faults.enumerated() where !stops() {
        progress(story, index, faults.count)
        try play(story, fault)
      }
      if !stops() { progress(story, faults.count, faults.count) }
    }
    return outcome
  }

  private func stops() -> Bool {
    if shouldStop() { outcome.wasInterrupted = true }
    return outcome.wasInterrupted
  }

  /// The story alone, up to its last step: that is where faults fall.
  private func control(
    _ story: SessionStory
  ) throws(PhoneHostError) -> (places: [Int], requestCount: Int) {
    let world = try SessionWorld(plan)
    guard let one = try world.run(story), world.storyEnd == story.ending else {
      throw .refused("the story '\(story.rawValue)' does not come to its end without a fault")
    }
    outcome.cases.append(one)
    return (world.storyPlaces, world.storyRequestCount)
  }

  private static func faults(
    _ plan: SessionPlan, at steps: [Int], _ requestCount: Int
  ) -> [SessionFault] {
    SessionFault.Kind.allCases.filter(plan.faults.contains).flatMap { kind -> [SessionFault] in
      switch kind {
      case .powerCut:
        let survivors = [Survivors.none, .issued, .all, .seeded(plan.seed)]
        return steps.flatMap { step in
          survivors.map { SessionFault(kind, at: step, survivors: $0) }
        }
      case .kill, .lock, .clock: return steps.map { SessionFault(kind, at: $0) }
      case .loseRequest, .loseReply, .limit, .failure:
        return (0..<requestCount).map { SessionFault(kind, at: $0 + 1) }
      }
    }
  }

  private func play(_ story: SessionStory, _ fault: SessionFault) throws(PhoneHostError) {
    let world = try SessionWorld(plan, fault: fault)
    guard let one = try world.run(story) else {
      outcome.neverFired.append(fault)
      return
    }
    outcome.cases.append(one)
    guard plan.killsRecovery, fault.kind == .kill || fault.kind == .powerCut else { return }
    for place in world.recoveryPlaces where !stops() {
      let world = try SessionWorld(plan, fault: fault, secondKill: place)
      if let one = try world.run(story) { outcome.cases.append(one) }
    }
  }
}
