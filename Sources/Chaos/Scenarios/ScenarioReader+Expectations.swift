import JSON
import Phone
import Ports

/// What each store is expected to show.
extension ScenarioReader {
  func expectations(
    _ node: JSONNode, _ variations: [Scenario.Variation], _ phones: [PhoneKind]
  ) throws(JSONError) -> [Scenario.Expectation] {
    var expectations: [Scenario.Expectation] = []
    for member in try node.members() {
      let known = [Scenario.goodStore] + Self.stores
      guard known.contains(member.key) else {
        throw JSONError(
          .unknownKey(member.key, of: "the expectations", allowed: known), at: member.keyRange)
      }
      var rows: [Scenario.Expectation.Row] = []
      for row in try member.node.members() { rows.append(try self.row(row, variations)) }
      if member.key == Scenario.goodStore, !Self.isComplete(rows, variations, phones) {
        throw member.node.error("some cases have no row here; add one for the rest: \"*\"")
      }
      expectations.append(Scenario.Expectation(store: member.key, rows: rows))
    }
    guard expectations.contains(where: { $0.store == Scenario.goodStore }) else {
      throw JSONError(.missingKey(Scenario.goodStore, of: "the expectations"), at: node.range)
    }
    return expectations
  }

  /// Whether every case finds a row: there is one for the rest, for each alternative, or for each
  /// phone.
  private static func isComplete(
    _ rows: [Scenario.Expectation.Row], _ variations: [Scenario.Variation],
    _ phones: [PhoneKind]
  ) -> Bool {
    let patterns = rows.flatMap(\.patterns)
    return patterns.contains([])
      || variations.contains { $0.alternatives.allSatisfy { patterns.contains([$0.name]) } }
      || phones.allSatisfy { patterns.contains([$0.rawValue]) }
  }

  private func row(
    _ member: JSONMember, _ variations: [Scenario.Variation]
  ) throws(JSONError) -> Scenario.Expectation.Row {
    let patterns = member.key.split(separator: ",").map { pattern in
      pattern == "*" ? [] : pattern.split(separator: "+").map(String.init)
    }
    let points = LogicalPoint.allCases.map(\.rawValue)
    let known =
      variations.flatMap { $0.alternatives.map(\.name) } + PhoneKind.allCases.map(\.rawValue)
      + points
    for part in patterns.joined() {
      let point = part.split(separator: "#").first.map(String.init) ?? part
      guard known.contains(part) || points.contains(point) else {
        throw JSONError(
          .unknownWord(part, kind: "part of a case", allowed: known + ["*"]), at: member.keyRange)
      }
    }
    return Scenario.Expectation.Row(
      patterns: patterns, expected: try expected(member.node), range: member.keyRange)
  }

  private func expected(_ node: JSONNode) throws(JSONError) -> Scenario.Expected {
    switch node.content {
    case .null: return .notRun
    case .text:
      _ = try node.word("expectation", of: ["noFailure"])
      return .noFailure
    default:
      return .exactly(try node.list { word throws(JSONError) in try verdicts(word) })
    }
  }

  /// One verdict, or several that are right: `keep|recover`.
  private func verdicts(_ node: JSONNode) throws(JSONError) -> [Verdict] {
    let text = try node.text()
    guard text.contains("|") else { return [try node.word("verdict", as: Verdict.self)] }
    var verdicts: [Verdict] = []
    for word in text.split(separator: "|") {
      guard let verdict = Verdict(rawValue: String(word)) else {
        throw JSONError(
          .unknownWord(
            String(word), kind: "verdict", allowed: Verdict.allCases.map(\.rawValue)),
          at: node.range)
      }
      verdicts.append(verdict)
    }
    return verdicts
  }
}
