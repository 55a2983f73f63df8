/// How the user calls the program, for the commands that it tells to type.
///
/// Texts in code say `lab`, and `./lab` where they stand on pages as well. Printed, one name stands in all
/// of them: that with which the program was called, where it is a relative path such as the `./lab` of a
/// clone, and else the plain name, which is in the path then.
package struct TypedName: Sendable {
  private let word: String
  private let names: [String]

  /// - Parameters:
  ///   - name: The program's name.
  ///   - call: The first word of its command line.
  package init(_ name: String, calledAs call: String) {
    names = [name, "./\(name)"]
    word = call.contains("/") && !call.hasPrefix("/") ? ShellWord.quoted(call) : name
  }

  /// What stands before a command: `next: lab chaos`.
  private static let hints: Set<String> = [
    "next:", "again:", "undo:", "replay:", "device:", "first:", "do:", "or:", "help:", "commands:",
    "them:", "keep:", "later:", "sudo",
  ]

  /// A line with each command behind a hint as it is to be typed. A line of JSON stays as it is.
  func afterHints(_ line: String) -> String {
    guard names.contains(where: { line.contains(": \($0) ") }),
      let first = line.first(where: { $0 != " " }), !"{[\"".contains(first)
    else { return line }
    var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in words.indices.dropFirst()
    where names.contains(words[index]) && Self.hints.contains(words[index - 1]) {
      words[index] = word
    }
    return words.joined(separator: " ")
  }

  /// An example, or a synopsis, as it is to be typed.
  func opening(_ line: String) -> String {
    let indent = line.prefix { $0 == " " }
    guard let name = names.first(where: { line.dropFirst(indent.count).hasPrefix("\($0) ") }) else {
      return line
    }
    return indent + word + line.dropFirst(indent.count + name.count)
  }
}
