/// Words of a command line that people paste into a shell.
package enum ShellWord {
  /// The word as a shell reads it back, in quotes where it needs them.
  package static func quoted(_ word: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@=+,%")
    guard word.isEmpty || !word.allSatisfy(plain.contains) else { return word }
    return "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// A command line of such words.
  package static func line(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }
}
