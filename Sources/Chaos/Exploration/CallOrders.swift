import Session

/// All orders in which calls of a program that wait at the same time may be let go, one after the other.
///
/// What waits is known only once the program was played: an order says where it begins, and each place
/// after it takes the call that has waited longest.
struct CallOrders {
  private let countMax: Int
  private var open: [Int]? = []
  /// How many were played.
  private(set) var playedCount = 0
  /// How many alternatives were left out; each is at least one order.
  private(set) var untriedCount = 0

  /// A digit of a scenario's order names one of so many.
  private static let alternativesMax = 2 * Overlap.countMax

  /// - Parameter countMax: After how many they end.
  init(countMax: Int) {
    self.countMax = countMax
  }

  /// How the next one begins; `nil` after the last.
  func next() -> [Int]? { open }

  /// Tells what came of the one that ``next()`` gave.
  mutating func played(_ choices: [ItemMemory.Choice]) {
    playedCount += 1
    var rest = choices
    open = nil
    while let last = rest.popLast() {
      guard last.choice + 1 < min(last.count, Self.alternativesMax) else { continue }
      if playedCount < countMax {
        open = rest.map(\.choice) + [last.choice + 1]
      } else {
        untriedCount = (rest + [last]).reduce(0) { $0 + $1.count - 1 - $1.choice }
      }
      return
    }
  }
}
