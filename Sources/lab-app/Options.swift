import Phone

/// Long options, `--name value` or `--name=value`, up to the first other word or `--`.
struct Options {
  private var values: [String: String] = [:]
  /// The words behind the options.
  let rest: [String]

  /// - Throws: ``UsageError`` for an unknown or repeated option, or one without a value.
  init(_ arguments: [String], allowed: [String]) throws(UsageError) {
    var words = arguments[...]
    while let word = words.first, word.hasPrefix("--") {
      words.removeFirst()
      if word == "--" { break }
      let parts = word.dropFirst(2).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard allowed.contains(name) else { throw UsageError("no option --\(name)") }
      guard values[name] == nil else { throw UsageError("--\(name) is given twice") }
      guard let value = parts.count == 2 ? String(parts[1]) : words.popFirst() else {
        throw UsageError("--\(name) needs a value")
      }
      values[name] = value
    }
    rest = Array(words)
  }

  subscript(name: String) -> String? { values[name] }

  func required(_ name: String) throws(UsageError) -> String {
    guard let value = values[name] else { throw UsageError("--\(name) is missing") }
    return value
  }

  /// A whole number, or `nil` when the option is not given.
  func number<Number: FixedWidthInteger>(
    _ name: String, as: Number.Type = Number.self
  ) throws(UsageError) -> Number? {
    guard let text = values[name] else { return nil }
    guard let number = Number(text) else {
      throw UsageError("--\(name) \(text): not a whole number from \(Number.min) to \(Number.max)")
    }
    return number
  }

  /// One of a closed list of words, or `nil` when the option is not given.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, as: Word.Type = Word.self
  ) throws(UsageError) -> Word? {
    guard let text = values[name] else { return nil }
    guard let word = Word(rawValue: text) else {
      let allowed = Word.allCases.map(\.rawValue).joined(separator: " ")
      throw UsageError("--\(name) \(text): allowed: \(allowed)")
    }
    return word
  }

  /// The options that say which phone it is, and how it is set.
  static let phone = ["phone"] + PhoneKind.allCases.flatMap { $0.knobs.map(\.name) }

  /// Which phone it is; an iPhone where nothing is said.
  func phoneKind() throws(UsageError) -> PhoneKind { try word("phone") ?? .ios }

  /// What belongs to one launch: the phone's knobs, from the options that are named as they are.
  func phoneLaunch() throws(UsageError) -> PhoneLaunch {
    var launch = PhoneLaunch()
    for knob in try phoneKind().knobs {
      guard let value = values[knob.name] else { continue }
      guard knob.values.contains(value) else {
        let error = KnobError.badValue(name: knob.name, value: value, allowed: knob.values)
        throw UsageError("\(error)")
      }
      launch.chosen[knob.name] = value
    }
    return launch
  }
}
