package import JSON

extension FaultRequest {
  /// Reads the members of a step, or of a request to a server, that ask for a fault.
  ///
  /// - Parameters:
  ///   - text: `FAULT` or the short form `FAULT@TRIGGER`.
  ///   - node: Where it stands.
  ///   - object: Holds `at`, `times` and the values by the names of ``FaultParameter``.
  /// - Throws: `JSONError` at the fault's place.
  package init(
    _ text: String, _ node: JSONNode, _ object: inout ObjectReader
  ) throws(JSONError) {
    let at = try object.optional("at").map { node throws(JSONError) in try Self.text(node) }
    let times = try object.optional("times")?.integer(in: 1...1_000_000) ?? 1
    var values: [String: String] = [:]
    let word = String(text.prefix { $0 != "@" })
    for parameter in FaultKind(rawValue: word)?.parameters ?? [] {
      guard let value = object.optional(parameter.rawValue) else { continue }
      values[parameter.rawValue] = try Self.text(value)
    }
    do throws(FaultGrammarError) {
      try self.init(text, at: at, times: times, parameters: values)
    } catch {
      throw error.at(node)
    }
  }

  /// A value, which may be a number as well.
  private static func text(_ node: JSONNode) throws(JSONError) -> String {
    if case .integer(let number) = node.content { return String(number) }
    return try node.text()
  }
}
