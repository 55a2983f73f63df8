import Glibc

/// Where the values of a chart stand, each tenfold as far from the last one.
struct LogAxis {
  private let low: Double
  private let high: Double
  private let start: Double
  private let end: Double
  /// The values at which there is a line.
  let ticks: [Double]

  /// - Parameters:
  ///   - values: What has to find room; only what is above zero has a place.
  ///   - start: Where the smallest one is drawn.
  ///   - end: Where the largest one is drawn.
  ///   - ticks: Where the lines are; `nil` for round values.
  init(_ values: [Double], from start: Double, to end: Double, ticks: [Double]? = nil) {
    let shown = values.filter { $0 > 0 && $0.isFinite }
    let smallest = shown.min() ?? 1
    let largest = shown.max() ?? 10
    // Some room on both sides, so that no mark is cut, and one value alone has a place.
    let room = max((log10(largest) - log10(smallest)) * 0.04, 0.03)
    low = log10(smallest) - room
    high = log10(largest) + room
    self.start = start
    self.end = end
    self.ticks = ticks ?? Self.round(from: low, to: high)
  }

  /// The place of a value, or `nil` for one that has none.
  func place(_ value: Double) -> Double? {
    guard value > 0, value.isFinite else { return nil }
    return start + (end - start) * (log10(value) - low) / (high - low)
  }

  /// Powers of ten; the shorter the axis, the more values in between.
  private static func round(from low: Double, to high: Double) -> [Double] {
    let steps: [Double] =
      switch high - low {
      case 4...: [1]
      case 2..<4: [1, 3]
      case 0.8..<2: [1, 2, 5]
      default: [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]
      }
    let decades = Int(low.rounded(.down))...Int(high.rounded(.down))
    return decades.flatMap { decade in steps.map { $0 * pow(10, Double(decade)) } }
      .filter { log10($0) >= low && log10($0) <= high }
  }
}
