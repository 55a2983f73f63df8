/// Times as people type them.
package enum DurationText {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("min", 60_000_000_000),
    ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1),
  ]

  /// Reads whole numbers with units, largest first, such as `2m30s`; `min` is the same as `m`.
  ///
  /// Gives `nil` for anything else, for a bare number, and beyond 292 years.
  package static func parse(_ text: String) -> Duration? {
    var rest = text.utf8[...]
    var total: Int64 = 0
    var last = Int64.max
    if rest.isEmpty { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      let unit = rest[digits.endIndex...].prefix {
        $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")
      }
      rest = rest[unit.endIndex...]
      guard let count = Int64(Substring(digits)),
        let (_, nanoseconds) = units.first(where: { $0.name == Substring(unit) }),
        nanoseconds < last
      else { return nil }
      let (part, isTooLong) = count.multipliedReportingOverflow(by: nanoseconds)
      let (sum, isSumTooLong) = total.addingReportingOverflow(part)
      guard !isTooLong, !isSumTooLong else { return nil }
      total = sum
      last = nanoseconds
    }
    return .nanoseconds(total)
  }

  /// Writes a time so that ``parse(_:)`` reads it: `2m30s`. A negative one has a `-` before it,
  /// which is not read.
  package static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if seconds < 0 || attoseconds < 0 { return "-" + text(.zero - duration) }
    var parts: [String] = []
    var rest = seconds
    for (name, unit) in [("d", Int64(86_400)), ("h", 3600), ("m", 60), ("s", 1)] {
      if rest >= unit { parts.append("\(rest / unit)\(name)") }
      rest %= unit
    }
    var nanoseconds = attoseconds / 1_000_000_000
    for (name, unit) in [("ms", Int64(1_000_000)), ("us", 1000), ("ns", 1)] {
      if nanoseconds >= unit { parts.append("\(nanoseconds / unit)\(name)") }
      nanoseconds %= unit
    }
    return parts.isEmpty ? "0s" : parts.joined()
  }
}
