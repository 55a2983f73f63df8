import Device

/// What one phone and its owner do: in which spans of time the app is in front, the phone unlocked, the
/// network away; and what the server makes of each token request. Times are milliseconds since the
/// start, at which a session was just made.
///
/// An app that is not in front runs on for ``graceMs`` and is suspended then: what is due meanwhile is
/// done when it comes to the front again, replies first. The store answers only while the phone is
/// unlocked, as `expo-secure-store` does by default on iOS.
struct DeviceTrace: Equatable, Sendable {
  /// From `startMs` on, and no longer at `endMs`.
  struct Span: Equatable, Sendable {
    var startMs: Int
    var endMs: Int
  }

  /// A time in front.
  struct Visit: Equatable, Sendable {
    var span: Span
    /// When the system ends the waiting app, if before the next visit: that one is a cold start.
    var killMs = Int.max
  }

  /// What becomes of a token request.
  enum Fate: Equatable, Sendable {
    case answered, replyLost
    /// 429, 500 and 503.
    case limited, failed, unavailable
  }

  /// In order and apart by seconds, each while the phone is unlocked.
  var visits: [Visit] = []
  var unlocked: [Span] = []
  var offline: [Span] = []
  /// `Int.max` for an app that is never suspended.
  var graceMs = 5_000
  /// Of latencies and fates.
  var networkSeed: UInt64 = 0
  /// One in so many requests meets each fate; 0 for none.
  var oneFateIn = 0
  var tokenMs = 3_600_000
  var endMs = 0

  /// How long the way of a request to the server is, and that of its reply.
  func latencyMs(ofRequest number: Int) -> Int {
    let draw = Draws.mixed(networkSeed, number)
    // Mostly a mobile network, and now and then a bad one.
    return draw & 31 == 0 ? 500 + Int(draw >> 40 & 1023) : 25 + Int(draw >> 40 & 127)
  }

  func fate(ofRequest number: Int) -> Fate {
    guard oneFateIn > 0 else { return .answered }
    let draw = Draws.mixed(networkSeed ^ 0xFA7E, number) % UInt64(oneFateIn)
    return switch draw {
    case 0: .replyLost
    case 1: .limited
    case 2: .failed
    case 3: .unavailable
    default: .answered
    }
  }
}

extension DeviceTrace {
  /// When an app in front makes calls of its own: at once, and then every so often.
  static let firstCallMs = 7_300
  static let callEachMs = 20_000

  /// The time that an app is suspended after a visit; empty when it is not.
  func suspension(after index: Int) -> Span {
    let next = index + 1 < visits.count ? visits[index + 1].span.startMs : endMs
    let start = visits[index].span.endMs.addingReportingOverflow(graceMs)
    return Span(startMs: start.overflow ? next : min(start.partialValue, next), endMs: next)
  }

  /// Whether a moment lies in one of the spans. The hint is an index not after that span's; it is moved
  /// on to it, or to the next one.
  static func contains(_ spans: [Span], _ ms: Int, from hint: inout Int) -> Bool {
    while hint < spans.count, spans[hint].endMs <= ms { hint += 1 }
    return hint < spans.count && spans[hint].startMs <= ms
  }
}

extension Draws {
  /// A draw that depends on nothing but its number.
  fileprivate static func mixed(_ seed: UInt64, _ number: Int) -> UInt64 {
    var draws = Draws(seed: seed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
    return draws.next()
  }
}
