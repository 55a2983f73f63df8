import JSON

/// The manual page of a program with all of its commands, for `man`.
package struct ManPage {
  /// Of a line of source.
  private static let widthMax = 78

  private var lines: [String] = []

  /// Writes the page from the declarations of the commands.
  ///
  /// - Parameters:
  ///   - program: What it is about.
  ///   - date: When this version was made, as `2026-11-30`: a page must say.
  /// - Returns: The source that `man` formats.
  package static func text(of program: Program, date: String) -> String {
    var page = ManPage()
    page.lines.append(#".\" Written by `\#(program.name) man`; do not edit."#)
    page.lines.append(
      ".TH \(program.name.uppercased()) 1 \"\(date)\" \"\(program.name) \(program.version)\"")
    page.section("NAME")
    page.text("\(program.name) - \(program.summary)", dashes: #"\-"#)
    page.section("SYNOPSIS")
    page.lines.append(".B \(program.name)")
    page.lines.append(#"\fICOMMAND\fR [\fIOPTION\fR]... [\fIARGUMENT\fR]..."#)
    page.section("DESCRIPTION")
    page.paragraphs(program.description)
    page.section("COMMANDS")
    for command in program.shownCommands { page.command(command, program) }
    page.section("COMMON OPTIONS")
    for option in CommonOptions.all { page.option(option) }
    page.item("--version", "print the version")
    page.section("EXIT STATUS")
    for (code, meaning) in program.exitCodes { page.item("\(code.rawValue)", meaning) }
    page.section("ENVIRONMENT")
    for (name, meaning) in Program.environment { page.item(name, meaning) }
    return page.lines.joined(separator: "\n") + "\n"
  }

  private mutating func command(_ command: Command, _ program: Program) {
    lines.append(".SS \(command.name)")
    let words = [program.name, command.name, "[OPTION]..."] + command.arguments.map(\.synopsis)
    text(words.joined(separator: " "))
    lines.append(".PP")
    text(Self.sentence(command.summary))
    if !command.description.isEmpty {
      lines.append(".PP")
      paragraphs(command.description)
    }
    for option in command.options { self.option(option) }
    for (code, meaning) in command.exitCodes.sorted(by: { $0.code.rawValue < $1.code.rawValue }) {
      item("exit \(code.rawValue)", meaning)
    }
    for (name, meaning) in command.environment { item(name, meaning) }
    for (line, meaning) in command.examples { item(line, meaning) }
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  private mutating func section(_ title: String) { lines.append(".SH \(title)") }

  private mutating func paragraphs(_ paragraphs: [String]) {
    for (index, paragraph) in paragraphs.enumerated() {
      if index > 0 { lines.append(".PP") }
      text(paragraph)
    }
  }

  private mutating func option(_ option: any OptionDefinition) {
    item("--\(option.name)" + (option.placeholder.map { " \($0)" } ?? ""), option.summary)
  }

  /// A term in bold, and what it means.
  private mutating func item(_ term: String, _ meaning: String) {
    lines.append(".TP")
    lines.append(#"\fB\#(Self.escaped(term, dashes: #"\-"#))\fR"#)
    text(meaning)
  }

  private mutating func text(_ text: String, dashes: String = "-") {
    lines += TextLayout.wrap(Self.escaped(text, dashes: dashes), width: Self.widthMax).map {
      // A dot at the start of a line would be a request.
      $0.hasPrefix(".") ? #"\&"# + $0 : $0
    }
  }

  private static func escaped(_ text: String, dashes: String) -> String {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      // Options keep their dashes when somebody copies them.
      let dash = word.hasPrefix("--") || word.hasPrefix("'--") ? #"\-"# : dashes
      return word.unicodeScalars.reduce(into: "") { result, scalar in
        switch scalar {
        case "\\": result += #"\e"#
        case "-": result += dash
        case "'": result += #"\(aq"#
        case "`": result += #"\(ga"#
        case "^": result += #"\(ha"#
        case "~": result += #"\(ti"#
        case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
        default:
          let digits = String(scalar.value, radix: 16, uppercase: true)
          result += #"\[u"# + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
        }
      }
    }
    return words.joined(separator: " ")
  }
}
