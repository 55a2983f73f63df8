import JSON

/// Understands the words behind a command's name.
struct CommandParser {
  private let program: String
  private let command: Command
  private var invocation: Invocation
  private var words: [String] = []
  private var afterDashes: [String]?

  private init(_ program: String, _ command: Command) {
    self.program = program
    self.command = command
    invocation = Invocation(command: command.name)
  }

  /// - Throws: a ``Failure`` that ends with 64. Nothing is checked any more once `--help` is seen.
  static func parse(
    _ arguments: [String], of command: Command, program: String
  ) throws(Failure) -> Invocation {
    var parser = CommandParser(program, command)
    try parser.take(arguments)
    if !parser.invocation.has(CommonOptions.help) { try parser.assign() }
    return parser.invocation
  }

  private mutating func take(_ arguments: [String]) throws(Failure) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" {
        afterDashes = Array(rest)
        return
      }
      if let name = CommonOptions.short[word] {
        try set(name, "", shown: word)
      } else if word.hasPrefix("--") {
        try takeOption(word, &rest)
      } else if word.hasPrefix("-"), word != "-" {
        throw noOption(word)
      } else {
        words.append(word)
      }
      if invocation.has(CommonOptions.help) { return }
    }
  }

  private mutating func takeOption(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(Failure) {
    let parts = word.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.allOptions.first(where: { $0.name == name }) else {
      throw noOption("--" + name)
    }
    var value = parts.count == 2 ? String(parts[1]) : nil
    if let placeholder = option.placeholder {
      // A word that begins with two dashes is the next option: the value was forgotten.
      if value == nil, let next = rest.first, !next.hasPrefix("--") {
        value = next
        rest.removeFirst()
      }
      guard value != nil else { throw wrong("--\(name) needs a value: --\(name) \(placeholder)") }
    }
    if let value, let refusal = option.refusal(value) { throw wrong(refusal) }
    try set(name, value ?? "", shown: "--" + name)
  }

  private mutating func set(_ name: String, _ value: String, shown: String) throws(Failure) {
    let isRepeatable = command.allOptions.first { $0.name == name }?.isRepeatable ?? false
    let before = invocation.values[name] ?? []
    guard isRepeatable || before.isEmpty else { throw wrong("\(shown) is given twice") }
    guard !before.contains(value) else { throw wrong("\(shown) \(value) is given twice") }
    invocation.values[name, default: []].append(value)
  }

  /// Gives the words to the arguments, from left to right.
  private mutating func assign() throws(Failure) {
    let takesDashes = command.arguments.contains { $0.count == .afterDashes }
    if !takesDashes { words += afterDashes ?? [] }
    var rest = words[...]
    for argument in command.arguments {
      var taken: [String] = []
      switch argument.count {
      case .one, .optional: if let word = rest.popFirst() { taken = [word] }
      case .any, .some:
        taken = Array(rest)
        rest = []
      case .afterDashes: taken = afterDashes ?? []
      }
      if taken.isEmpty, argument.isRequired {
        throw wrong("\(command.name) needs \(argument.synopsis)")
      }
      for word in taken { try check(word, argument) }
      invocation.words[argument.name] = taken
    }
    if let extra = rest.first {
      let behind = takesDashes && afterDashes == nil ? "; a command goes behind --" : ""
      let hint = behind.isEmpty ? meant(by: extra) : behind
      throw wrong("\(command.name) takes no '\(extra)'\(hint)")
    }
  }

  private func check(_ word: String, _ argument: Argument) throws(Failure) {
    guard !argument.words.isEmpty, !argument.words.contains(word) else { return }
    throw wrong(NoSuch.message(argument.kind, word, among: argument.words) + meant(by: word))
  }

  /// What a word that is none of the command's may have been meant for.
  private func meant(by word: String) -> String {
    if invocation.values["json"] != nil, word.hasSuffix(".json") {
      return "; \(NoSuch.jsonFile(word))"
    }
    return command.allOptions.contains { $0.name == "on" }
      ? "; a phone is named with --on \(ShellWord.quoted(word))" : ""
  }

  private func noOption(_ word: String) -> Failure {
    let names = command.allOptions.map { "--" + $0.name }
    let nearest = NearestWord.to(word, among: names).map { "; nearest: \($0)" } ?? ""
    return wrong("\(command.name) has no option '\(word)'\(nearest)")
  }

  private func wrong(_ reason: String) -> Failure {
    .wrongUsage(reason, help: "\(program) \(command.name) --help")
  }
}

/// The message for a word outside a closed list.
package enum NoSuch {
  /// For a file's name behind the flag `--json`, which takes none.
  package static func jsonFile(_ word: String) -> String {
    "--json prints to stdout: --json > \(ShellWord.quoted(word))"
  }

  /// `no fault 'keychian-reset'; nearest: keychain-reset`, or the whole list when it is short.
  package static func message(_ kind: String, _ word: String, among words: [String]) -> String {
    let whole = words.first { isPart(word, of: $0) }
    if let nearest = NearestWord.to(word, among: words) ?? whole {
      return "no \(kind) '\(word)'; nearest: \(nearest)"
    }
    let list = words.joined(separator: " ")
    return "no \(kind) '\(word)'" + (list.count <= 60 ? "; there are: \(list)" : "")
  }

  /// `run` is meant for `lab.run/1`.
  private static func isPart(_ word: String, of whole: String) -> Bool {
    whole.split { ".-/".contains($0) }.contains { $0 == word }
  }
}
