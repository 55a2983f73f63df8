package import Chaos
package import JSON

/// What one shard of some work came to, as it passes from machine to machine: the member `shard` of a
/// `--json` document.
package struct ShardResults {
  package let schema: String
  package let shard: Shard
  package let version: String
  package let plan: JSONNode
  package let results: [Int: JSONNode]

  /// Why results are not those of one run.
  package struct Problem: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// The same document with the member.
  ///
  /// - Parameters:
  ///   - document: What the shard alone came to.
  ///   - shard: Which shard it is.
  ///   - version: Of the program.
  ///   - plan: What all shards are to do.
  ///   - results: What each unit came to.
  /// - Returns: The document for ``init(_:)``.
  package static func added(
    to document: JSONValue, _ shard: Shard, version: String, plan: JSONValue,
    results: [Int: JSONNode]
  ) -> JSONValue {
    var fields = document.object ?? JSONObject()
    fields["shard"] = [
      "index": .integer(shard.index), "count": .integer(shard.count), "version": .text(version),
      "plan": plan,
      "results": .list(
        results.sorted { $0.key < $1.key }.map { unit, result in
          ["unit": .integer(unit), "result": result.value]
        }),
    ]
    return .object(fields)
  }

  /// Reads a document.
  ///
  /// - Throws: `JSONError` when it is none of a shard.
  package init(_ node: JSONNode) throws(JSONError) {
    guard let schema = node["schema"], let member = node["shard"] else {
      throw node.error("no result of a shard: it has no 'schema' and 'shard'")
    }
    self.schema = try schema.text()
    var reader = try member.object(
      "a shard", keys: ["index", "count", "version", "plan", "results"])
    let count = try reader.required("count").integer(in: 1...Int.max)
    let index = try reader.required("index").integer(in: 1...count)
    shard = Shard(index, of: count)
    version = try reader.required("version").text()
    plan = try reader.required("plan")
    var results: [Int: JSONNode] = [:]
    for node in try reader.required("results").list() {
      var result = try node.object("a result", keys: ["unit", "result"])
      let unit = try result.required("unit").integer(in: 0...Int.max)
      results[unit] = try result.required("result")
    }
    self.results = results
  }

  /// Checks that parts are all shards of one run, each once.
  ///
  /// - Parameters:
  ///   - parts: The parts and the names of their files, at least one.
  ///   - version: Of this program.
  /// - Returns: All results by their units.
  /// - Throws: ``Problem`` that names the file which does not fit.
  package static func merged(
    _ parts: [(file: String, part: ShardResults)], version: String
  ) throws(Problem) -> [Int: JSONNode] {
    guard let first = parts.first else { return [:] }
    var files: [Int: String] = [:]
    var results: [Int: JSONNode] = [:]
    for (file, part) in parts {
      if let reason = part.misfit(to: first.part, first.file, version: version) {
        throw Problem(description: "\(file): \(reason)")
      }
      if let other = files[part.shard.index] {
        throw Problem(description: "\(file): shard \(part.shard) again; it is in \(other), too")
      }
      files[part.shard.index] = file
      results.merge(part.results) { one, _ in one }
    }
    let missing = (1...first.part.shard.count).filter { files[$0] == nil }
    guard missing.isEmpty else {
      let names = missing.map(String.init).joined(separator: ", ")
      throw Problem(
        description: "of \(first.part.shard.count) shards these are missing: \(names)")
    }
    return results
  }

  private func misfit(to other: ShardResults, _ file: String, version: String) -> String? {
    if self.version != version { return "made by lab \(self.version); this is \(version)" }
    if schema != other.schema { return "\(schema), but \(file) is \(other.schema)" }
    if shard.count != other.shard.count {
      return "shard \(shard), but \(file) is shard \(other.shard)"
    }
    let (own, others) = (plan.value, other.plan.value)
    if own["seed"] != others["seed"] {
      return "seed \(own["seed"] ?? .null), but \(file) has seed \(others["seed"] ?? .null)"
    }
    guard own != others else { return nil }
    let keys = (own.object?.members ?? []).filter { others[$0.key] != $0.value }.map(\.key)
    return "another run than \(file): \(keys.joined(separator: ", ")) differ"
  }
}
