package import JSON
package import Ports

/// A program of somebody else's that keeps the session, and speaks `lab.adapter/1`.
package struct ForeignApp: Equatable, Sendable {
  /// What reports call it.
  package static let storeName = "app"

  /// The program and its arguments.
  package let words: [String]
  /// The words as they were given, for the command that shows a run again.
  package let text: String
  /// How long a command may keep the lab waiting for the program, in real milliseconds. What the phone
  /// does meanwhile does not count.
  package var patienceMs = patienceMsDefault
  private static let patienceMsDefault = 10_000
  /// The store whose row of a scenario says what is right; `nil` for that of every correct store.
  package var expectAs: String?
  /// What comes of each page that it opens for a sign-in: nobody sits before the phone.
  package var browser = BrowserResult.cancel

  /// Splits a command line as a shell does, without carrying out anything in it.
  ///
  /// - Parameter text: Words with blanks between them; `'…'` and `"…"` hold words together, and a
  ///   backslash takes the next character as it is.
  /// - Throws: ``ForeignAppError`` for a line without a word, or with an open quote.
  package init(_ text: String) throws(ForeignAppError) {
    self.text = text
    words = try Self.words(of: text)
    guard words.first?.isEmpty == false else { throw .noProgram }
  }

  private static func words(of text: String) throws(ForeignAppError) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = text[...]
    while let next = rest.popFirst() {
      switch (quote, next) {
      case (let open?, _) where next == open: quote = nil
      case (nil, "'"), (nil, "\""):
        quote = next
        word = word ?? ""
      case (nil, " "), (nil, "\t"), (nil, "\n"):
        if let word { words.append(word) }
        word = nil
      case (nil, "\\"), ("\"", "\\"):
        guard let escaped = rest.popFirst() else { throw .openEnd("a backslash") }
        word = (word ?? "") + String(escaped)
      default: word = (word ?? "") + String(next)
      }
    }
    if let quote { throw .openEnd("the quote \(quote)") }
    return words + (word.map { [$0] } ?? [])
  }

  /// The options of a command line that name it again.
  package var shellWords: String {
    // As somebody would type it: quotes within are mostly single ones.
    let isForDoubleQuotes = text.contains("'") && !text.contains { "\"\\$`!".contains($0) }
    let quoted =
      isForDoubleQuotes ? "\"\(text)\"" : "'" + text.replacing("'", with: "'\\''") + "'"
    let seconds = patienceMs == Self.patienceMsDefault ? "" : " --app-seconds \(patienceMs / 1000)"
    return "--app \(quoted)" + seconds + (expectAs.map { " --expect-as \($0)" } ?? "")
      + (browser == .cancel ? "" : " --app-browser '\(browser.word)'")
  }

  /// What the app's process is told of it.
  var options: [String] {
    [
      "--adapter", JSONWriter.text(of: .list(words.map(JSONValue.text))), "--adapter-patience",
      String(patienceMs), "--adapter-browser", browser.word,
    ]
  }
}

// MARK: - Between processes

extension ForeignApp {
  package var json: JSONValue {
    [
      "command": .text(text), "patienceMs": .integer(patienceMs),
      "expectAs": expectAs.map(JSONValue.text) ?? .null, "browser": .text(browser.word),
    ]
  }

  /// Reads what ``json`` wrote.
  package init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object(
      "a program", keys: ["command", "patienceMs", "expectAs", "browser"])
    let command = try reader.required("command")
    let text = try command.text()
    do throws(ForeignAppError) {
      try self.init(text)
    } catch {
      throw command.error("the command \(error)")
    }
    patienceMs = try reader.required("patienceMs").integer(in: 1...600_000)
    let expected = try reader.required("expectAs")
    expectAs = expected.content == .null ? nil : try expected.text()
    browser = BrowserResult(word: try reader.required("browser").text()) ?? .cancel
  }
}

/// A command line that is none.
package enum ForeignAppError: Error, Equatable, CustomStringConvertible {
  case noProgram
  case openEnd(String)

  package var description: String {
    switch self {
    case .noProgram: "names no program; say it as in --app 'node my-store.mjs'"
    case .openEnd(let what): "ends behind \(what)"
    }
  }
}
