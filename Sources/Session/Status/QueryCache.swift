/// What queries have fetched, by user and name: the app's React Query cache, as far as its isolation
/// goes.
package final class QueryCache {
  private var entries: [String: [String: String]] = [:]
  package private(set) var clearCount = 0

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// What screens of a user find; also when another user's entries are still there, as a query whose
  /// key does not name the user would.
  package func owners(of query: String) -> [String] {
    entries.keys.filter { entries[$0]?[query] != nil }.sorted()
  }

  package func store(_ value: String, query: String, user: String) {
    entries[user, default: [:]][query] = value
  }

  package func clear() {
    entries = [:]
    clearCount += 1
  }
}
