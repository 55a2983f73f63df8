import JSON

/// A place in what happened where a fault would do harm.
package struct LintWindow: Equatable, Sendable {
  package let rule: LintRule
  /// Where it is: a domain, a path, two points, or an item. Equal ones are one window.
  package let place: String
  /// What was seen there, in words.
  package var detail: String
  /// What a fault would leave.
  package let leaves: String
  /// The command that shows it.
  package var command: String?
  /// The operations between which it is open; no `last` when it still is, neither for an item.
  package var first: Int?
  package var last: Int?
  /// How long it was open by the phone's clock, where that is known.
  package var milliseconds: Int?
  /// How often it was seen; all else is about the first time.
  package var count = 1

  package init(_ rule: LintRule, at place: String, detail: String, leaves: String) {
    self.rule = rule
    self.place = place
    self.detail = detail
    self.leaves = leaves
  }

  /// Whether it is open now.
  package var isOpen: Bool { last == nil }
}

extension LintWindow {
  /// One row of the report; `withTimes` tells milliseconds, which differ from run to run.
  func json(withTimes: Bool) -> JSONValue {
    var fields = JSONObject()
    fields["rule"] = .text(rule.rawValue)
    fields["place"] = .text(place)
    fields["detail"] = .text(detail)
    fields["leaves"] = .text(leaves)
    fields["command"] = command.map { .text($0) }
    fields["first"] = first.map { .integer($0) }
    fields["last"] = last.map { .integer($0) }
    fields["open"] = .bool(isOpen)
    fields["count"] = .integer(count)
    if withTimes { fields["milliseconds"] = milliseconds.map { .integer($0) } }
    return .object(fields)
  }

  /// Reads what ``json(withTimes:)`` gives; `nil` for a rule that this program does not know.
  init?(_ json: JSONValue) {
    guard let rule = json["rule"]?.text.flatMap(LintRule.init) else { return nil }
    self.init(
      rule, at: json["place"]?.text ?? "", detail: json["detail"]?.text ?? "",
      leaves: json["leaves"]?.text ?? "")
    command = json["command"]?.text
    first = json["first"]?.integer.map { Int($0) }
    last = json["last"]?.integer.map { Int($0) }
    milliseconds = json["milliseconds"]?.integer.map { Int($0) }
    count = json["count"]?.integer.map { Int($0) } ?? 1
  }
}
