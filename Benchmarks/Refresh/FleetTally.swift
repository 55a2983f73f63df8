import Device

/// What a fleet did, counted.
struct FleetTally: RefreshWitness, Sendable {
  private(set) var tokenCallCount = 0
  private(set) var offlineCount = 0
  private(set) var joinedCount = 0
  private(set) var callCount = 0
  /// Calls that waited for a refresh, and calls that then got no token.
  private(set) var waitingCount = 0
  private(set) var emptyCount = 0
  /// Calls that would have gone out with an expired token, had they taken the one that the screens have.
  private(set) var staleCount = 0
  private(set) var neverFreshCount = 0
  private(set) var freshMs: [Int32] = []
  private(set) var signOuts: [SignOutCause: Int] = [:]
  /// While somebody was signed in.
  private(set) var deviceMs = 0

  // Of the traces, signed in or not.
  private(set) var pickUpCount = 0
  private(set) var visitCount = 0
  private(set) var frontMs = 0
  private(set) var offlineMs = 0

  mutating func tokenCall(atMs ms: Int) { tokenCallCount += 1 }
  mutating func offlineAttempt(atMs ms: Int) { offlineCount += 1 }
  mutating func joined() { joinedCount += 1 }
  mutating func fresh(afterMs ms: Int) { freshMs.append(Int32(clamping: ms)) }
  mutating func neverFresh() { neverFreshCount += 1 }
  mutating func signedOut(atMs ms: Int, _ cause: SignOutCause) { signOuts[cause, default: 0] += 1 }

  mutating func call(startMs start: Int, endMs end: Int, expiry: Int?, shown: Int?) {
    callCount += 1
    if end > start { waitingCount += 1 }
    if expiry == nil { emptyCount += 1 }
    if let shown, shown <= start { staleCount += 1 }
  }

  mutating func calls(_ count: Int, fromMs start: Int, expiry: Int, shown: Int?) {
    callCount += count
  }

  var deviceDays: Double { Double(deviceMs) / Double(FleetHabits.dayMs) }

  /// Plays all phones of a fleet.
  static func play(
    _ kind: RefreshKind, _ habits: FleetHabits, deviceCount: Int, dayCount: Int, seed: UInt64
  ) -> FleetTally {
    var seeds = Draws(seed: seed)
    var tally = FleetTally()
    var trace = DeviceTrace()
    for _ in 0..<deviceCount {
      habits.draw(&trace, seed: seeds.next(), dayCount: dayCount)
      var model = RefreshModel(kind, trace, tally)
      // Given back below: nobody else may hold it meanwhile, or each append copied it.
      tally = FleetTally()
      model.run()
      tally = model.witness
      tally.deviceMs += model.endMs
      tally.add(trace)
    }
    return tally
  }

  private mutating func add(_ trace: DeviceTrace) {
    pickUpCount += trace.unlocked.count
    visitCount += trace.visits.count
    for visit in trace.visits { frontMs += visit.span.endMs - visit.span.startMs }
    for span in trace.offline { offlineMs += span.endMs - span.startMs }
  }

  /// Of all that was counted.
  var digest: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ value: Int) { hash = (hash ^ UInt64(truncatingIfNeeded: value)) &* 0x100_0000_01B3 }
    for count in [
      tokenCallCount, offlineCount, joinedCount, callCount, waitingCount, emptyCount, staleCount,
      neverFreshCount, deviceMs,
    ] { add(count) }
    for ms in freshMs { add(Int(ms)) }
    for cause in SignOutCause.allCases { add(signOuts[cause] ?? 0) }
    return hash
  }
}
