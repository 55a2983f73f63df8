/// A shell that can complete a program's words.
package enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The file that makes this shell complete the words of a program, written from the declarations
  /// of its commands: nothing of the program runs while somebody types.
  package func completions(of program: Program) -> String {
    let lines =
      switch self {
      case .bash: BashCompletions.lines(of: program)
      case .zsh: ZshCompletions.lines(of: program)
      case .fish: FishCompletions.lines(of: program)
      }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Where a prefix keeps such files, and under which name.
  package func path(of program: Program) -> String {
    switch self {
    case .bash: "share/bash-completion/completions/\(program.name)"
    case .zsh: "share/zsh/site-functions/_\(program.name)"
    case .fish: "share/fish/vendor_completions.d/\(program.name).fish"
    }
  }

  /// The first line of each file.
  func headline(_ program: Program) -> String {
    "# Completions of \(program.name) for \(rawValue), written by `\(program.name) completions "
      + "\(rawValue)`."
  }
}

extension Program {
  /// What may stand behind the program's name.
  var firstWords: [(name: String, meaning: String)] {
    shownCommands.map { ($0.name, $0.summary) } + [("help", "the page of a command")]
  }
}

extension String {
  /// In single quotes, as bash and zsh take every text.
  var inShellQuotes: String { "'" + replacing("'", with: #"'\''"#) + "'" }

  func replacing(_ word: Character, with text: String) -> String {
    reduce(into: "") { result, character in
      if character == word { result += text } else { result.append(character) }
    }
  }
}
