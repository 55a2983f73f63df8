import JSON

/// The pages that `--help` prints, at most 80 columns wide.
struct HelpPage {
  static let widthMax = 80
  private static let indent = "     "

  private var lines: [String] = []

  static func lines(of command: Command, in program: Program) -> [String] {
    var page = HelpPage()
    let name = "\(program.name) \(command.name)"
    page.section("NAME") { $0.text("\(name) - \(command.summary)") }
    page.section("SYNOPSIS") { page in
      let words = [name, "[OPTION]..."] + command.arguments.map(\.synopsis)
      page.text(words.joined(separator: " "))
    }
    if !command.description.isEmpty {
      page.section("DESCRIPTION") { page in
        for (index, paragraph) in command.description.enumerated() {
          if index > 0 { page.lines.append("") }
          page.text(paragraph)
        }
      }
    }
    page.section("OPTIONS") { page in
      for option in command.allOptions { page.item(term(of: option), option.summary) }
    }
    page.exitStatus(command)
    page.environment(command.environment + Program.environment)
    page.examples(command.examples)
    return page.lines
  }

  static func lines(of program: Program) -> [String] {
    var page = HelpPage()
    page.section("NAME") { $0.text("\(program.name) - \(program.summary)") }
    page.section("SYNOPSIS") { page in
      page.text("\(program.name) COMMAND [OPTION]... [ARGUMENT]...")
      page.text("\(program.name) COMMAND --help")
    }
    if !program.description.isEmpty {
      page.section("DESCRIPTION") { page in
        for paragraph in program.description { page.text(paragraph) }
      }
    }
    page.section("COMMANDS") { page in
      for command in program.shownCommands { page.item(command.name, command.summary) }
    }
    page.section("OPTIONS") { page in
      for option in CommonOptions.all { page.item(term(of: option), option.summary) }
      page.item("--version", "print the version")
    }
    page.section("EXIT STATUS") { page in
      for (code, meaning) in program.exitCodes { page.item("\(code.rawValue)", meaning) }
    }
    page.environment(Program.environment)
    page.examples(program.examples)
    return page.lines
  }

  private static func term(of option: any OptionDefinition) -> String {
    "--" + option.name + (option.placeholder.map { " " + $0 } ?? "")
  }

  private mutating func exitStatus(_ command: Command) {
    let replaced = Set(command.exitCodes.map(\.code))
    let codes = command.exitCodes + ExitCode.common.filter { !replaced.contains($0.code) }
    section("EXIT STATUS") { page in
      for (code, meaning) in codes.sorted(by: { $0.code.rawValue < $1.code.rawValue }) {
        page.item("\(code.rawValue)", meaning)
      }
    }
  }

  private mutating func environment(_ variables: [(name: String, meaning: String)]) {
    section("ENVIRONMENT") { page in
      for (name, meaning) in variables { page.item(name, meaning) }
    }
  }

  private mutating func examples(_ examples: [(line: String, meaning: String)]) {
    guard !examples.isEmpty else { return }
    section("EXAMPLES") { page in
      for (line, meaning) in examples {
        page.lines.append(Self.indent + line)
        page.text("    " + meaning)
      }
    }
  }

  private mutating func section(_ title: String, _ body: (inout HelpPage) -> Void) {
    if !lines.isEmpty { lines.append("") }
    lines.append(title)
    body(&self)
  }

  private mutating func text(_ text: String) {
    let hanging = String(text.prefix { $0 == " " })
    let width = Self.widthMax - Self.indent.count - hanging.count
    lines += TextLayout.wrap(text, width: width).map { Self.indent + hanging + $0 }
  }

  /// A term and what it means, side by side, or below each other when the term is long.
  private mutating func item(_ term: String, _ meaning: String) {
    let column = 18
    let wrapped = TextLayout.wrap(meaning, width: Self.widthMax - Self.indent.count - column)
    let blank = Self.indent + String(repeating: " ", count: column)
    if term.count + 2 <= column {
      let padded = term + String(repeating: " ", count: column - term.count)
      lines.append(Self.indent + padded + wrapped[0])
      lines += wrapped.dropFirst().map { blank + $0 }
    } else {
      lines.append(Self.indent + term)
      lines += wrapped.map { blank + $0 }
    }
  }
}
