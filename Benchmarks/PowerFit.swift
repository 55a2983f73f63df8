import Glibc

/// The power of a size that fits what it costs best: a line through the logarithms.
package struct PowerFit: Equatable, Sendable {
  /// 1.00 grows like the size, 0.00 not at all.
  package let exponent: Double
  private let factor: Double

  /// - Parameter points: At least two sizes; sizes and costs are above zero.
  package init(_ points: [(size: Double, cost: Double)]) {
    let logs = points.map { (x: log($0.size), y: log($0.cost)) }
    let count = Double(logs.count)
    let meanX = logs.reduce(0) { $0 + $1.x } / count
    let meanY = logs.reduce(0) { $0 + $1.y } / count
    let slope =
      logs.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
      / logs.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    exponent = slope
    factor = exp(meanY - slope * meanX)
  }

  /// What a size costs by this fit.
  package func cost(of size: Double) -> Double { factor * pow(size, exponent) }
}
