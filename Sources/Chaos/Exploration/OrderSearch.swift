import Simulation

/// All orders in which calls that overlap may wait for each other, one run after the other.
struct OrderSearch {
  private var search: ExhaustiveSearch

  /// - Parameter countMax: After how many the search ends.
  init(countMax: Int) {
    search = ExhaustiveSearch(leavesMax: countMax)
  }

  /// How many alternatives were left out; each is at least one order.
  var untriedCount: Int { search.untriedBeside }

  /// What decides the next run; `nil` after the last.
  ///
  /// - Throws: ``PhoneHostError`` when the last run did not begin as one before it.
  mutating func next() throws(PhoneHostError) -> Choices? {
    do throws(Divergence) {
      return try search.next()
    } catch {
      throw .refused("the app does not repeat itself: \(error)")
    }
  }
}
