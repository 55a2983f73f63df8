/// A command line that was understood.
package struct Invocation: Sendable {
  /// The command's name.
  package let command: String
  var values: [String: [String]] = [:]
  var words: [String: [String]] = [:]

  init(command: String) { self.command = command }

  package func has(_ flag: Flag) -> Bool { values[flag.name] != nil }

  package func isGiven(_ option: any OptionDefinition) -> Bool { values[option.name] != nil }

  /// The value of an option, or `nil` if it was not given.
  package func value<Value>(_ option: Option<Value>) -> Value? {
    values(option).first
  }

  /// All values of a repeatable option, in order.
  package func values<Value>(_ option: Option<Value>) -> [Value] {
    // The parser refused what the kind does not take.
    (values[option.name] ?? []).compactMap(option.kind.parse)
  }

  /// The only word of an argument, or `nil` if it was left out.
  package func argument(_ name: String) -> String? { words[name]?.first }

  /// All words of an argument.
  package func arguments(_ name: String) -> [String] { words[name] ?? [] }
}
