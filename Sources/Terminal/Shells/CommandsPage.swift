/// A page of the documentation with all commands of a program, in Markdown.
package enum CommandsPage {
  /// Writes the page from the declarations of the commands.
  ///
  /// - Parameters:
  ///   - program: What it is about.
  ///   - intro: What stands below the title.
  /// - Returns: The page.
  package static func text(of program: Program, intro: [String]) -> String {
    var lines = ["# Commands and exit codes", ""] + intro
    lines += ["", "## Exit codes", "", "Every command:", "", "| code | means |", "| --- | --- |"]
    lines += program.exitCodes.map { row(["\($0.code.rawValue)", $0.meaning]) }
    lines += ["", "Some commands, beside or in place of these:", ""]
    lines += ["| command | code | means |", "| --- | --- | --- |"]
    for command in program.shownCommands {
      lines += sorted(command.exitCodes).map { code, meaning in
        row([link(command), "\(code.rawValue)", meaning])
      }
    }
    lines += ["", "## Options of every command", ""] + options(CommonOptions.all)
    lines += ["", "## All commands", "", "| command | does |", "| --- | --- |"]
    lines += program.shownCommands.map { row([link($0), $0.summary]) }
    for command in program.shownCommands { lines += section(command, program.name) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func section(_ command: Command, _ name: String) -> [String] {
    let words = [name, command.name, "[OPTION]..."] + command.arguments.map(\.synopsis)
    var lines = ["", "## \(name) \(command.name)", ""]
    lines += [command.summary.prefix(1).uppercased() + command.summary.dropFirst() + ".", ""]
    lines += ["```", words.joined(separator: " "), "```"]
    for paragraph in command.description { lines += ["", escaped(paragraph)] }
    if !command.options.isEmpty { lines += [""] + options(command.options) }
    if !command.environment.isEmpty {
      lines += ["", "| variable | does |", "| --- | --- |"]
      lines += command.environment.map { row(["`\($0.name)`", $0.meaning]) }
    }
    guard !command.examples.isEmpty else { return lines }
    lines += ["", "| example | does |", "| --- | --- |"]
    return lines + command.examples.map { row(["`\($0.line)`", $0.meaning]) }
  }

  private static func options(_ options: [any OptionDefinition]) -> [String] {
    ["| option | does |", "| --- | --- |"]
      + options.map { option in
        let value = option.placeholder.map { " \($0)" } ?? ""
        return row(["`--\(option.name)\(value)`", option.summary])
      }
  }

  private static func sorted(
    _ codes: [(code: ExitCode, meaning: String)]
  ) -> [(code: ExitCode, meaning: String)] {
    codes.sorted { $0.code.rawValue < $1.code.rawValue }
  }

  private static func link(_ command: Command) -> String {
    "[`\(command.name)`](#lab-\(command.name))"
  }

  private static func row(_ cells: [String]) -> String {
    "| "
      + cells.map { escaped($0).split(separator: "|").joined(separator: "\\|") }
      .joined(separator: " | ") + " |"
  }

  /// Keeps what would be a tag, and leaves code alone.
  private static func escaped(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map {
        $0.offset % 2 == 0
          ? $0.element.split(separator: "<").joined(separator: "&lt;") : String($0.element)
      }
      .joined(separator: "`")
  }
}
