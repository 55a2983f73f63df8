package import JSON

/// So many requests in a window, and so many at once.
package struct RateLimit: Equatable, Sendable {
  package var count: Int64
  package var windowMs: Int64
  package var burst: Int64

  package init(count: Int64, windowMs: Int64, burst: Int64) {
    self.count = count
    self.windowMs = windowMs
    self.burst = burst
  }
}

/// A bucket of tokens that fills with time. Exact: a token is `windowMs` units, and each
/// millisecond brings `count` of them.
package struct RateBucket: StoredRecord {
  package var name = ""
  private var units: Int64 = 0
  private var atMs: Int64 = 0

  package init() {}

  /// A full bucket.
  package init(_ name: String, _ limit: RateLimit, at nowMs: Int64) {
    self.name = name
    units = limit.burst * limit.windowMs
    atMs = nowMs
  }

  /// Takes one token, if there is one. A clock that goes back brings none and takes none.
  package mutating func take(_ limit: RateLimit, at nowMs: Int64) -> Bool {
    let full = limit.burst * limit.windowMs
    let passed = min(max(0, nowMs - atMs), full)
    units = min(full, units + passed * limit.count)
    atMs = nowMs
    guard units >= limit.windowMs else { return false }
    units -= limit.windowMs
    return true
  }

  package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
    try members("name", &name)
    try members("units", &units)
    try members("atMs", &atMs)
  }
}
