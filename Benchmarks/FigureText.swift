/// Figures as people read them: three digits that mean something.
enum FigureText {
  static func value(_ value: Double, _ unit: Measurements.Unit) -> String {
    guard value.isFinite else { return "-" }
    return switch unit {
    case .nanoseconds: time(value)
    case .perSecond: "\(digits(value))/s"
    case .count: value == value.rounded() ? fixed(value, places: 0) : digits(value)
    }
  }

  static func ratio(_ value: Double) -> String { fixed(value, places: 2) }

  /// `64 B`, `4 KiB`, `1 MiB`.
  static func size(_ bytes: Int) -> String {
    if bytes < 1 << 10 { return "\(bytes) B" }
    return bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }

  /// Three digits, or the first one of what is less than a thousandth.
  static func significant(_ value: Double) -> String {
    guard value.isFinite else { return "-" }
    return fixed(value, places: value < 0.001 ? 4 : value < 1 ? 3 : value < 10 ? 2 : 1)
  }

  /// A round value as short as it can be: `0.01`, `5`, `200`.
  static func round(_ value: Double) -> String {
    value < 1 ? significant(value).trimmed(of: "0") : fixed(value, places: 0)
  }

  static func percent(_ fraction: Double) -> String {
    fraction.isFinite ? "\(Int((fraction * 100).rounded())) %" : "-"
  }

  private static func time(_ ns: Double) -> String {
    if ns < 1e3 { return "\(digits(ns)) ns" }
    if ns < 1e6 { return "\(digits(ns / 1e3)) us" }
    if ns < 1e9 { return "\(digits(ns / 1e6)) ms" }
    return "\(digits(ns / 1e9)) s"
  }

  private static func digits(_ value: Double) -> String {
    fixed(value, places: value < 10 ? 2 : value < 100 ? 1 : 0)
  }

  private static func fixed(_ value: Double, places: Int) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "-" }
    let scale = [1, 10, 100, 1_000, 10_000][places]
    let whole = Int((value.magnitude * Double(scale)).rounded())
    let sign = value < 0 && whole > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    let rest = String(whole % scale)
    let zeros = String(repeating: "0", count: places - rest.count)
    return "\(sign)\(whole / scale).\(zeros)\(rest)"
  }
}

extension String {
  /// Without this character at its end.
  fileprivate func trimmed(of last: Character) -> String {
    var text = Substring(self)
    while text.last == last { text.removeLast() }
    return String(text)
  }
}
