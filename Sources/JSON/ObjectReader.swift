/// Reads the members of an object by their keys, and remembers which were asked for.
///
/// Ask with ``required(_:)`` and ``optional(_:)``, then call ``finish()``: a key that nobody
/// asked for is an error, since it is a slip of the pen more often than a wish.
package struct ObjectReader {
  /// What the object is, for messages: `a step`.
  package let of: String
  /// The place of the opening bracket.
  package let range: SourceRange
  private let members: [JSONMember]
  private let declared: [String]?
  private var asked: [String] = []

  init(_ node: JSONNode, of: String, keys: [String]?) throws(JSONError) {
    guard case .object(let members) = node.content else { throw node.wrongType("object") }
    self.of = of
    self.members = members
    range = node.range
    declared = keys
    if let keys { try refuseKeys(except: keys) }
  }

  /// The value under a key.
  ///
  /// - Throws: ``JSONProblem/missingKey(_:of:)`` at the opening bracket; but if a key that nobody
  ///   asked for yet is nearly this one, that key is named as unknown instead.
  package mutating func required(_ key: String) throws(JSONError) -> JSONNode {
    if let node = optional(key) { return node }
    if declared == nil {
      for member in members where !asked.contains(member.key) {
        guard NearestWord.to(member.key, among: [key]) != nil else { continue }
        throw JSONError(.unknownKey(member.key, of: of, allowed: [key]), at: member.keyRange)
      }
    }
    throw JSONError(.missingKey(key, of: of), at: range)
  }

  /// The value under a key, or `nil` if the object has none. `null` is a value.
  package mutating func optional(_ key: String) -> JSONNode? {
    precondition(declared?.contains(key) ?? true, "key '\(key)' was not declared")
    asked.append(key)
    return members.first { $0.key.isSameKey(as: key) }?.node
  }

  package mutating func has(_ key: String) -> Bool { optional(key) != nil }

  /// Refuses a member that nobody asked for.
  package func finish() throws(JSONError) {
    if declared == nil { try refuseKeys(except: asked) }
  }

  private func refuseKeys(except allowed: [String]) throws(JSONError) {
    for member in members where !allowed.contains(where: { $0.isSameKey(as: member.key) }) {
      let problem = JSONProblem.unknownKey(member.key, of: of, allowed: Self.unique(allowed))
      throw JSONError(problem, at: member.keyRange)
    }
  }

  private static func unique(_ keys: [String]) -> [String] {
    var unique: [String] = []
    for key in keys where !unique.contains(key) { unique.append(key) }
    return unique
  }
}
