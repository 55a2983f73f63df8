/// What the rounds of one measurement gave, in their order.
package struct Samples: Sendable {
  private(set) var values: [Double] = []

  mutating func add(_ value: Double) { values.append(value) }

  var minimum: Double { values.min() ?? .nan }

  var median: Double { quantile(0.5) }

  /// How far the median lies above the minimum, as a fraction of it: what the neighbours cost.
  var spread: Double { median / minimum - 1 }

  /// The smallest sample that at least this fraction of all samples does not exceed; for the median
  /// of an even number the mean of the two in the middle.
  func quantile(_ fraction: Double) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    if fraction == 0.5, sorted.count % 2 == 0 {
      return (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
    }
    let place = Int((fraction * Double(sorted.count)).rounded(.up))
    return sorted[min(max(place, 1), sorted.count) - 1]
  }

  /// All samples in their order; of many a smaller number of quantiles, from the minimum to the
  /// maximum, which lie as they do.
  var kept: [Double] {
    guard values.count > Self.keptMax else { return values }
    let sorted = values.sorted()
    return (0..<Self.keptMax).map { sorted[$0 * (sorted.count - 1) / (Self.keptMax - 1)] }
  }

  private static let keptMax = 120

  var last: Double { values.last ?? .nan }

  /// The products of each round.
  func times(_ other: Samples) -> Samples {
    var products = Samples()
    for (own, its) in zip(values, other.values) { products.add(own * its) }
    return products
  }

  /// The median of the quotients of each round: both sides met the same neighbours.
  func ratio(to other: Samples) -> Double {
    var quotients = Samples()
    for (own, its) in zip(values, other.values) { quotients.add(own / its) }
    return quotients.median
  }
}

/// The samples of all rounds.
struct Ledger {
  struct Key: Hashable {
    let name: String
    let implementation: String
  }

  private var samples: [Key: Samples] = [:]

  mutating func add(_ value: Double, _ name: String, _ implementation: String) {
    samples[Key(name: name, implementation: implementation), default: Samples()].add(value)
  }

  subscript(name: String, implementation: String) -> Samples {
    samples[Key(name: name, implementation: implementation)] ?? Samples()
  }
}
