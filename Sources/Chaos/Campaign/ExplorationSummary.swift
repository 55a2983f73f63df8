import JSON
package import Phone
import Ports

/// What an exploration came to, without its images.
package struct ExplorationSummary: Equatable, Sendable {
  package let phone: PhoneKind
  package let store: String
  package let originCount: Int
  package let imageCount: Int
  /// How many images came to each verdict; `quiet` for nothing to judge.
  package let outcomes: [String: Int]
  package let violationCount: Int
  /// Whether nothing was left out, or only drawn.
  package let isExhaustive: Bool
  package let causes: [Cause]
  package let map: CrashMap

  /// Violations that are alike, with the replay that shows the first of them again.
  package struct Cause: Equatable, Sendable {
    package let failure: Verdict
    /// `kill behind K0`.
    package let place: String
    /// How often it was seen.
    package let count: Int
    package let because: String
    /// `nil` when the replay shows something else, or was not run.
    package let finding: Finding?
  }

  package init(_ found: Exploration) {
    phone = found.plan.phone
    store = found.plan.store
    originCount = found.originCount
    imageCount = found.images.count
    outcomes = found.outcomes.reduce(into: [:]) { $0[$1.verdict?.rawValue ?? "quiet"] = $1.count }
    violationCount = found.violationCount
    isExhaustive = found.isExhaustive
    map = found.map
    causes = found.causes.map { cause in
      Cause(
        failure: cause.failure,
        place: cause.kind.rawValue + (cause.point.map { " behind \($0.rawValue)" } ?? ""),
        count: cause.occurrenceCount, because: cause.because, finding: cause.replay.shown)
    }
  }
}

// MARK: - Between processes

extension ExplorationSummary {
  var json: JSONValue {
    [
      "origins": .integer(originCount), "images": .integer(imageCount),
      "outcomes": .object(
        JSONObject(outcomes.map { .init(key: $0.key, value: .integer($0.value)) })),
      "violations": .integer(violationCount), "exhaustive": .bool(isExhaustive),
      "causes": .list(causes.map(\.json)), "map": map.json,
    ]
  }

  init(_ node: JSONNode, phone: PhoneKind, store: String) throws(JSONError) {
    self.phone = phone
    self.store = store
    var reader = try node.object("an exploration")
    originCount = try reader.required("origins").count()
    imageCount = try reader.required("images").count()
    var counts: [String: Int] = [:]
    for member in try reader.required("outcomes").members() {
      counts[member.key] = try member.node.count()
    }
    outcomes = counts
    violationCount = try reader.required("violations").count()
    isExhaustive = try reader.required("exhaustive").bool()
    causes = try reader.required("causes").list(of: Cause.init)
    map = try CrashMap(reader.required("map"))
  }
}

extension ExplorationSummary.Cause {
  fileprivate var json: JSONValue {
    var fields = JSONObject()
    fields["failure"] = .text(failure.rawValue)
    fields["place"] = .text(place)
    fields["count"] = .integer(count)
    fields["because"] = .text(because)
    fields["finding"] = finding?.json
    return .object(fields)
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a cause")
    failure = try reader.required("failure").word("verdict")
    place = try reader.required("place").text()
    count = try reader.required("count").count()
    because = try reader.required("because").text()
    finding = try reader.optional("finding").map(Finding.init)
  }
}
