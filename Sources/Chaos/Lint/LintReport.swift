package import JSON

/// The windows of what has happened on a phone, and what could not be judged.
package struct LintReport: Equatable, Sendable {
  package static let schema = "lab.lint/1"

  /// The operations that were looked at; `nil` when there are none.
  package var operations: ClosedRange<Int>?
  /// How many saves were acknowledged.
  package var saveCount = 0
  /// Most harmful first; equal ones are folded.
  package private(set) var windows: [LintWindow] = []
  /// What could not be judged, and why.
  package var notJudged: [String] = []
  /// Where each window stands.
  private var indices: [Place: Int] = [:]

  /// What makes two windows one.
  private struct Place: Hashable {
    let rule: LintRule
    let place: String

    init(_ window: LintWindow) { (rule, place) = (window.rule, window.place) }
  }

  package init() {}

  /// Adds a window, or counts it with an equal one.
  ///
  /// - Complexity: O(1).
  mutating func add(_ window: LintWindow) {
    if let same = indices[Place(window)] {
      windows[same].count += 1
    } else {
      indices[Place(window)] = windows.count
      windows.append(window)
    }
  }

  private mutating func put(_ ordered: [LintWindow]) {
    windows = ordered
    indices = Dictionary(
      ordered.enumerated().map { (Place($1), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Adds what another order of the same calls has shown, with the command that shows a loss.
  mutating func merge(_ other: LintReport, shownBy command: String) {
    operations = operations ?? other.operations
    saveCount += other.saveCount
    for window in other.windows {
      var once = window
      once.count = 1
      once.command = command
      add(once)
    }
    for reason in other.notJudged where !notJudged.contains(reason) { notJudged.append(reason) }
  }

  /// Puts the most harmful windows first, and those that are open before those that are closed.
  mutating func sort() {
    put(
      LintRule.allCases.flatMap { rule in
        let those = windows.filter { $0.rule == rule }
        return those.filter(\.isOpen) + those.filter { !$0.isOpen }
      })
  }

  /// How often a rule was broken.
  package func count(of rule: LintRule) -> Int {
    windows.filter { $0.rule == rule }.reduce(0) { $0 + $1.count }
  }
}

extension LintReport {
  /// One object with a schema.
  ///
  /// - Parameter withTimes: Whether milliseconds are told, which differ from run to run.
  /// - Returns: `lab.lint/1`.
  package func json(withTimes: Bool = false) -> JSONValue {
    var fields = JSONObject()
    fields["schema"] = .text(Self.schema)
    fields["first"] = (operations?.lowerBound).map { .integer($0) }
    fields["last"] = (operations?.upperBound).map { .integer($0) }
    fields["saves"] = .integer(saveCount)
    fields["rules"] = .object(
      JSONObject(
        LintRule.allCases.map { .init(key: $0.rawValue, value: .integer(count(of: $0))) }))
    fields["windows"] = .list(windows.map { $0.json(withTimes: withTimes) })
    fields["notJudged"] = .list(notJudged.map(JSONValue.text))
    return .object(fields)
  }

  /// Reads what ``json(withTimes:)`` gives.
  package init(_ json: JSONValue) {
    if let first = json["first"]?.integer, let last = json["last"]?.integer, first <= last {
      operations = Int(first)...Int(last)
    }
    saveCount = json["saves"]?.integer.map { Int($0) } ?? 0
    put((json["windows"]?.list ?? []).compactMap(LintWindow.init))
    notJudged = (json["notJudged"]?.list ?? []).compactMap(\.text)
  }
}
