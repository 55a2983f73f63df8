import JSON

/// The members of what a program has answered.
extension AdapterProgram {
  /// A member that may be left out, or be `null`.
  ///
  /// - Parameters:
  ///   - key: Its name.
  ///   - node: What has it.
  ///   - allowed: What it must be, for the message.
  ///   - read: Gives `nil` for a value of another kind.
  /// - Returns: Its value; `nil` when it is not there.
  /// - Throws: ``AdapterProblem`` for a value of another kind.
  func member<Value>(
    _ key: String, of node: JSONNode, _ allowed: String, _ read: (JSONNode) -> Value?
  ) throws -> Value? {
    guard let member = node[key], member.content != .null else { return nil }
    guard let value = read(member) else {
      throw problem("printed '\(key)' with a \(member.kind) in it, not \(allowed)")
    }
    return value
  }
}
