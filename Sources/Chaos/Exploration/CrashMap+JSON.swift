import Device
package import JSON
import Phone
import Ports

// Part of `lab.explore/1` and of what workers of a campaign send.

extension CrashMap {
  package var json: JSONValue { .list(places.map(\.json)) }

  /// Reads what ``json`` wrote.
  package init(_ node: JSONNode) throws(JSONError) {
    self.init()
    for node in try node.list() { add(try Place(node)) }
  }
}

extension CrashMap.Place {
  package var json: JSONValue {
    [
      "step": .integer(spot.step), "title": .text(spot.title),
      "operation": spot.operation.map(JSONValue.integer) ?? .null,
      "kind": spot.kind.map { .text($0.rawValue) } ?? .null,
      "half": spot.half.map { .text($0.rawValue) } ?? .null,
      "points": .list(spot.points.map { .text($0.rawValue) }),
      "point": spot.point.map { .text($0.rawValue) } ?? .null,
      "moments": .integer(momentCount), "cuts": .integer(cutCount), "sampled": .bool(isSampled),
      "faults": .object(
        JSONObject(tallies.map { .init(key: $0.key.rawValue, value: $0.value.outcomes) })),
    ]
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a place of a crash map")
    var spot = CrashMap.Spot(
      step: try reader.required("step").count(), title: try reader.required("title").text())
    spot.operation = try reader.given("operation")?.count()
    spot.kind = try reader.given("kind")?.word("kind of operation")
    spot.half = try reader.given("half")?.word("half")
    spot.points = try reader.required("points").list { node throws(JSONError) in
      try node.word("point")
    }
    spot.point = try reader.given("point")?.word("point")
    self.init(spot)
    momentCount = try reader.required("moments").count()
    cutCount = try reader.required("cuts").count()
    isSampled = try reader.required("sampled").bool()
    for member in try reader.required("faults").members() {
      guard let kind = DisturbanceKind(rawValue: member.key) else {
        throw member.node.error("'\(member.key)' is no kind of disturbance")
      }
      var tally = StateTally()
      try tally.add(outcomes: member.node)
      tallies[kind] = tally
    }
    try reader.finish()
  }
}

extension ObjectReader {
  /// The value under a key that must be there; `nil` for `null`.
  fileprivate mutating func given(_ key: String) throws(JSONError) -> JSONNode? {
    let node = try required(key)
    return node.value == .null ? nil : node
  }
}
