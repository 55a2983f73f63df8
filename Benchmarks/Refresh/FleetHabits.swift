import Device

/// What the traces of a fleet are drawn from.
///
/// A person picks the phone up some fifty times a day, in the sixteen hours of waking (69 in 2016 by
/// Strategy Analytics, "more than 50" by Verto Analytics); app sessions last 72 s in the mean (Böhmer
/// and others, MobileHCI 2011). The rest are assumptions: one pick-up in six opens this app, a phone
/// is offline for 3 % of the time, in stretches of four minutes, the system ends a waiting app once in
/// three times away, and one request in 4,000 each loses its reply or meets a 429, a 500, a 503.
struct FleetHabits: Equatable, Sendable {
  var unlockedMeanMs = 180_000
  var lockedMeanMs = 972_000
  /// One in so many.
  var visitOneIn = 6
  var visitMeanMs = 72_000
  var onlineMeanMs = 7_760_000
  var offlineMeanMs = 240_000
  var killOneIn = 3
  var oneFateIn = 4_000
  var tokenMs = 3_600_000
  /// iOS gives an app that is no longer in front a few seconds (assumed).
  var graceMs = 5_000
  var wakingMs = 16 * 3_600_000

  static let dayMs = 24 * 3_600_000

  /// Draws what one phone does.
  ///
  /// - Complexity: O(*u*) for *u* times of picking it up.
  func trace(seed: UInt64, dayCount: Int) -> DeviceTrace {
    var trace = DeviceTrace()
    draw(&trace, seed: seed, dayCount: dayCount)
    return trace
  }

  /// The same, in the memory of another trace.
  func draw(_ trace: inout DeviceTrace, seed: UInt64, dayCount: Int) {
    var draws = Draws(seed: seed)
    trace.visits.removeAll(keepingCapacity: true)
    trace.unlocked.removeAll(keepingCapacity: true)
    trace.offline.removeAll(keepingCapacity: true)
    trace.graceMs = graceMs
    trace.oneFateIn = oneFateIn
    trace.tokenMs = tokenMs
    trace.networkSeed = draws.next()
    trace.endMs = dayCount * Self.dayMs
    for day in 0..<dayCount {
      // The session was made in the evening.
      let morning = day * Self.dayMs + Self.dayMs - wakingMs
      drawPickUps(&trace, from: morning, to: morning + wakingMs, &draws)
    }
    drawKills(&trace, &draws)
    var now = draws.skewed(onlineMeanMs)
    while now < trace.endMs {
      let end = now + draws.skewed(offlineMeanMs)
      trace.offline.append(.init(startMs: now, endMs: end))
      now = end + draws.skewed(onlineMeanMs)
    }
  }

  private func drawPickUps(
    _ trace: inout DeviceTrace, from start: Int, to end: Int, _ draws: inout Draws
  ) {
    var now = start + draws.skewed(lockedMeanMs)
    while now < end {
      var locks = now + 4_000 + draws.skewed(unlockedMeanMs)
      if draws.below(visitOneIn) == 0 {
        let opens = now + 1_000 + draws.below(1_500)
        let closes = opens + 1_000 + draws.skewed(visitMeanMs)
        trace.visits.append(.init(span: .init(startMs: opens, endMs: closes)))
        // Half of them end with the power button.
        locks = draws.below(2) == 0 ? closes : max(locks, closes)
      }
      trace.unlocked.append(.init(startMs: now, endMs: locks))
      now = locks + 10_000 + draws.skewed(lockedMeanMs)
    }
  }

  private func drawKills(_ trace: inout DeviceTrace, _ draws: inout Draws) {
    for index in trace.visits.indices.dropLast() where draws.below(killOneIn) == 0 {
      let left = trace.visits[index].span.endMs
      let away = trace.visits[index + 1].span.startMs - left
      trace.visits[index].killMs = left + 1 + draws.below(away - 2)
    }
  }
}

extension Draws {
  /// A time with this mean: most are short, none is longer than four times the mean.
  fileprivate mutating func skewed(_ meanMs: Int) -> Int {
    let draw = next()
    // The cube of a number between 0 and 1, whose mean is a quarter.
    let part = draw >> 43
    let cube = (((part * part) >> 21) * part) >> 21
    return (Int(cube) * meanMs * 4) >> 21
  }
}
