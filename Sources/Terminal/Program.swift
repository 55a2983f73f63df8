import JSON

/// A program made of commands: `lab chaos --seed 7`.
package struct Program {
  package var name: String
  package var version: String
  package var summary: String
  package var description: [String] = []
  package var commands: [Command]
  /// The names that the bare program shows, with the line to type and what it does.
  package var usual: [(line: String, meaning: String)] = []
  package var exitCodes: [(code: ExitCode, meaning: String)] = ExitCode.common
  package var examples: [(line: String, meaning: String)] = []

  static let environment: [(name: String, meaning: String)] = [
    ("NO_COLOR", "when set and not empty, no colour unless --color always")
  ]

  package init(name: String, version: String, summary: String, commands: [Command]) {
    self.name = name
    self.version = version
    self.summary = summary
    self.commands = commands
  }

  /// Understands the words behind the program's name and runs the command that they name.
  ///
  /// Every error ends here: a ``Failure`` says its lines and its code, any other error is one
  /// line and ends with ``ExitCode/couldNotRun``.
  package func run(_ arguments: [String], on console: Console) -> ExitCode {
    do {
      return try start(arguments, console)
    } catch let failure as Failure {
      for (index, line) in failure.lines.enumerated() {
        console.error(index == 0 && !failure.isBare ? "\(name): \(line)" : line)
      }
      return failure.code
    } catch {
      console.error("\(name): \(error)")
      return .couldNotRun
    }
  }

  /// Whether a command line would be understood; nothing is run.
  ///
  /// - Throws: ``Failure`` that ends with 64.
  package func parse(_ arguments: [String]) throws(Failure) {
    let word = arguments.first ?? ""
    guard let command = commands.first(where: { $0.name == word }) else {
      throw .wrongUsage(noCommand(word), help: "\(name) --help")
    }
    _ = try CommandParser.parse(Array(arguments.dropFirst()), of: command, program: name)
  }

  private func start(_ arguments: [String], _ console: Console) throws -> ExitCode {
    var leadingCount = 0
    while leadingCount < arguments.count, arguments[leadingCount].hasPrefix("-"),
      arguments[leadingCount] != "--"
    {
      // `--color never` has its value behind it.
      leadingCount += arguments[leadingCount] == "--color" ? 2 : 1
    }
    let leading = arguments.prefix(leadingCount)
    let rest = Array(arguments.dropFirst(leadingCount))
    guard let word = rest.first else {
      try answer(Array(leading), console)
      return .asExpected
    }
    if word == "help" {
      if rest.count > 2 {
        throw Failure.wrongUsage("help takes no '\(rest[2])'", help: "\(name) --help")
      }
      try help(rest.dropFirst().first, console)
      return .asExpected
    }
    guard let command = commands.first(where: { $0.name == word }) else {
      throw Failure.wrongUsage(noCommand(word), help: "\(name) --help")
    }
    let words = Array(leading) + rest.dropFirst()
    let invocation = try CommandParser.parse(words, of: command, program: name)
    console.apply(invocation)
    if invocation.has(CommonOptions.help) {
      console.result(openingWithCommands: HelpPage.lines(of: command, in: self))
      return .asExpected
    }
    return try command.run(invocation, console)
  }

  /// Options without a command.
  private func answer(_ options: [String], _ console: Console) throws(Failure) {
    if options.contains("--help") || options.contains("-h") {
      console.result(openingWithCommands: HelpPage.lines(of: self))
    } else if options == ["--version"] {
      console.result("\(name) \(version)")
    } else if let option = options.first {
      let names = CommonOptions.all.map { "--" + $0.name } + ["--version"]
      let nearest = NearestWord.to(option, among: names).map { "; nearest: \($0)" } ?? ""
      let reason =
        names.contains(option) || CommonOptions.short[option] != nil
        ? "'\(option)' needs a command behind it" : "no option '\(option)'\(nearest)"
      throw .wrongUsage(reason, help: "\(name) --help")
    } else {
      console.result(openingWithCommands: greeting)
    }
  }

  private func help(_ word: String?, _ console: Console) throws(Failure) {
    guard let word else {
      console.result(openingWithCommands: HelpPage.lines(of: self))
      return
    }
    guard let command = commands.first(where: { $0.name == word }) else {
      throw .wrongUsage(noCommand(word), help: "\(name) --help")
    }
    console.result(openingWithCommands: HelpPage.lines(of: command, in: self))
  }

  private func noCommand(_ word: String) -> String {
    NoSuch.message("command", word, among: shownCommands.map(\.name))
  }

  var shownCommands: [Command] { commands.filter { !$0.isHidden } }

  /// What the bare program prints.
  private var greeting: [String] {
    let width = usual.map(\.line.count).max() ?? 0
    let rows = usual.map { line, meaning in
      "  " + line + String(repeating: " ", count: width - line.count + 3) + meaning
    }
    return ["\(name): \(summary)", ""] + rows
      + ["", "all commands: \(name) --help     one of them: \(name) COMMAND --help"]
  }
}
