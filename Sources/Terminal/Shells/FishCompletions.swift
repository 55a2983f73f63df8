/// Completions for fish.
enum FishCompletions {
  static func lines(of program: Program) -> [String] {
    let name = program.name
    let condition = "__\(name.replacing("-", with: "_"))_command"
    let valued = CommonOptions.all.filter { $0.placeholder != nil }.map { "--\($0.name)" }
    let head = [
      Shell.fish.headline(program), "",
      "function \(condition) --description 'whether this is the command that was typed'",
      "    set -l words (commandline -opc)", "    set -l found ''", "    set -l skip 0",
      "    for word in $words[2..-1]", "        if test $skip -eq 1", "            set skip 0",
      "            continue", "        end", "        switch $word",
      "            case \(valued.joined(separator: " "))", "                set skip 1",
      "            case '-*'", "                continue", "            case '*'",
      "                set found $word", "                break", "        end", "    end",
      "    test \"$found\" = \"$argv[1]\"", "end", "", "complete -c \(name) -f",
    ]
    let common = CommonOptions.all.map { line(name, "", $0) }
    let version = "complete -c \(name) -n '\(condition) \"\"' -l version -d 'print the version'"
    let first = program.firstWords.map { word in
      "complete -c \(name) -n '\(condition) \"\"' -a \(word.name) -d \(quoted(word.meaning))"
    }
    let names = program.shownCommands.map(\.name).joined(separator: " ")
    let help = "complete -c \(name) -n '\(condition) help' -a '\(names)'"
    return head + common + [version] + first + [help]
      + program.shownCommands.flatMap { command in
        lines(of: command, name, "\(condition) \(command.name)")
      }
  }

  private static func lines(of command: Command, _ name: String, _ condition: String) -> [String] {
    let takesCommand = command.arguments.contains { $0.count == .afterDashes }
    let hasDashes = "contains -- -- (commandline -opc)"
    return command.options.map { line(name, "-n '\(condition)' ", $0) }
      + command.arguments.flatMap { argument -> [String] in
        if argument.count == .afterDashes {
          let words = "-a '(__fish_complete_command)' -F"
          return ["complete -c \(name) -n '\(condition); and \(hasDashes)' \(words)"]
        }
        let more = takesCommand ? "; and not \(hasDashes)" : ""
        return lines(for: argument.offer).map {
          "complete -c \(name) -n '\(condition)\(more)' \($0)"
        }
      }
  }

  private static func line(
    _ name: String, _ condition: String, _ option: any OptionDefinition
  ) -> String {
    let short = CommonOptions.short.filter { $0.value == option.name }.keys.sorted()
      .map { "-s \($0.dropFirst()) " }.joined()
    var value = ""
    if option.placeholder != nil {
      let kind = option.offer.files == .any ? "-r" : "-x"
      value = " " + ([kind] + lines(for: option.offer)).joined(separator: " ")
    }
    return "complete -c \(name) \(condition)\(short)-l \(option.name)\(value) "
      + "-d \(quoted(option.summary))"
  }

  /// The words behind `complete` for what may stand there.
  private static func lines(for offer: Offer) -> [String] {
    let words = offer.words.joined(separator: " ")
    var lines: [String] = []
    if offer.isList {
      lines.append("-a '(__fish_append , \(words))'")
    } else if !words.isEmpty {
      lines.append("-a '\(words)'")
    }
    switch offer.files {
    case .no: break
    case .any: lines.append("-F")
    case .folders: lines.append("-a '(__fish_complete_directories)'")
    }
    return lines
  }

  /// fish knows two escapes in single quotes.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: #"\\"#).replacing("'", with: #"\'"#) + "'"
  }
}
