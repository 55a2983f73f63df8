/// Numbers with units, as people write them: `55min`, `+1h`, `200ms`, `2KiB`.
package enum Quantity {
  private static let durations: [(unit: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("min", 60_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]
  private static let sizes: [(unit: String, bytes: Int64)] = [
    ("", 1), ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
  ]

  /// A duration in milliseconds; a leading `+` or `-` is allowed, and parts add up: `2m30s`.
  package static func milliseconds(_ text: String) -> Int64? {
    var rest = Substring(text)
    let sign: Int64 = rest.first == "-" ? -1 : 1
    if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
    guard !rest.isEmpty else { return nil }
    var total: Int64 = 0
    while !rest.isEmpty {
      guard let part = part(&rest, durations.map { ($0.unit, $0.milliseconds) }) else { return nil }
      let (sum, overflow) = total.addingReportingOverflow(part)
      guard !overflow else { return nil }
      total = sum
    }
    return sign * total
  }

  /// A step of a clock in its largest whole unit: `+55min`.
  package static func text(ofMs step: Int64) -> String {
    let fitting = durations.filter { $0.unit != "m" && step % $0.milliseconds == 0 }
    let largest = fitting.last ?? durations[0]
    return "\(step < 0 ? "" : "+")\(step / largest.milliseconds)\(largest.unit)"
  }

  /// A size in bytes.
  package static func bytes(_ text: String) -> Int? {
    var rest = Substring(text)
    guard let value = part(&rest, sizes), rest.isEmpty else { return nil }
    return Int(value)
  }

  private static func part(_ text: inout Substring, _ units: [(String, Int64)]) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).prefix { $0.isLetter }
    guard let number = Int64(digits), let factor = units.first(where: { $0.0 == unit })?.1 else {
      return nil
    }
    text = text.dropFirst(digits.count + unit.count)
    let (value, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : value
  }
}
