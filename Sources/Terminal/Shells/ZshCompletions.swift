/// Completions for zsh: a function for `fpath`.
enum ZshCompletions {
  static func lines(of program: Program) -> [String] {
    let words = program.firstWords.map { "\($0.name):\(escaped($0.meaning, #":\"#))" }
    let names = program.shownCommands.map(\.name).joined(separator: " ")
    return [
      "#compdef \(program.name)", Shell.zsh.headline(program), "", "local -a words_of_program",
    ]
      + ["words_of_program=("] + words.map { "  \($0.inShellQuotes)" } + [")"]
      + [
        "local curcontext=$curcontext state line", "typeset -A opt_args", "",
        "_arguments -C -s -S \\",
      ]
      + (CommonOptions.all.flatMap(specifications) + ["'--version[print the version]'"]).map {
        "  \($0) \\"
      } + [
        "  '1: :->command' '*:: :->rest' && return", "", "case $state in",
        "  command) _describe -t commands command words_of_program ;;", "  rest)",
        "    case $words[1] in", "      help) _arguments '1:command:(\(names))' ;;",
      ] + program.shownCommands.flatMap(lines(of:)) + ["    esac", "    ;;", "esac"]
  }

  private static func lines(of command: Command) -> [String] {
    let all =
      command.allOptions.flatMap(specifications)
      + command.arguments.enumerated().map { index, argument in
        specification(of: argument, number: index + 1)
      }
    return ["      \(command.name))", "        _arguments -s -S \\"]
      + all.enumerated().map { index, one in
        "          \(one)" + (index + 1 < all.count ? " \\" : "")
      } + ["        ;;"]
  }

  /// `'--phone=[only this phone]:PHONE:(ios android)'`, and the short form of a flag.
  private static func specifications(of option: any OptionDefinition) -> [String] {
    let summary = "[\(escaped(option.summary, #"[]\"#))]"
    let star = option.isRepeatable ? "*" : ""
    guard let placeholder = option.placeholder else {
      let short = CommonOptions.short.filter { $0.value == option.name }.keys.sorted()
      return (short + ["--\(option.name)"]).map { "\($0)\(summary)".inShellQuotes }
    }
    let text =
      "\(star)--\(option.name)=\(summary):\(escaped(placeholder, #":\"#)):\(action(option.offer))"
    return [text.inShellQuotes]
  }

  private static func specification(of argument: Argument, number: Int) -> String {
    let place =
      switch argument.count {
      case .one: "\(number):"
      case .optional: "\(number)::"
      case .any, .some: "*:"
      case .afterDashes: "*::"
      }
    let action = argument.count == .afterDashes ? "_normal" : action(argument.offer)
    return "\(place)\(escaped(argument.name, #":\"#)):\(action)".inShellQuotes
  }

  private static func action(_ offer: Offer) -> String {
    let words = offer.words.joined(separator: " ")
    let files =
      switch offer.files {
      case .no: ""
      case .any: "_files"
      case .folders: "_files -/"
      }
    if offer.isList { return "_sequence compadd - \(words)" }
    if offer.words.isEmpty { return files.isEmpty ? " " : files }
    return files.isEmpty ? "(\(words))" : "{compadd -- \(words); \(files)}"
  }

  private static func escaped(_ text: String, _ special: String) -> String {
    text.reduce(into: "") { result, character in
      if special.contains(character) { result += "\\" }
      result.append(character)
    }
  }
}
