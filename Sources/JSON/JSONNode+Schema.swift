/// Decoding by a strict schema: each method gives what it is named after, or a ``JSONError``.
extension JSONNode {
  package func text() throws(JSONError) -> String {
    guard case .text(let value) = content else { throw wrongType("text") }
    return value
  }

  package func bool() throws(JSONError) -> Bool {
    guard case .bool(let value) = content else { throw wrongType("true or false") }
    return value
  }

  /// A whole number written without fraction and exponent; `2.0` is refused.
  package func integer() throws(JSONError) -> Int64 {
    switch content {
    case .integer(let value): return value
    case .unsigned(let value): throw outOfRange("\(value)", "\(Int64.min) to \(Int64.max)")
    default: throw wrongType("whole number")
    }
  }

  package func integer(in range: ClosedRange<Int>) throws(JSONError) -> Int {
    if case .unsigned(let value) = content { throw outOfRange("\(value)", Self.words(range)) }
    let value = try integer()
    guard let value = Int(exactly: value), range.contains(value) else {
      throw outOfRange("\(value)", Self.words(range))
    }
    return value
  }

  package func unsigned() throws(JSONError) -> UInt64 {
    switch content {
    case .unsigned(let value): return value
    case .integer(let value):
      guard let unsigned = UInt64(exactly: value) else {
        throw outOfRange("\(value)", "0 to \(UInt64.max)")
      }
      return unsigned
    default: throw wrongType("whole number")
    }
  }

  /// Any finite number. A whole number beyond 2^53 is rounded to the nearest double.
  package func double() throws(JSONError) -> Double {
    switch content {
    case .integer(let value): return Double(value)
    case .unsigned(let value): return Double(value)
    case .double(let value) where value.isFinite: return value
    case .double(let value): throw outOfRange("\(value)", "finite numbers")
    default: throw wrongType("number")
    }
  }

  package func list() throws(JSONError) -> [JSONNode] {
    guard case .list(let nodes) = content else { throw wrongType("list") }
    return nodes
  }

  package func list<Element>(
    of element: (JSONNode) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var elements: [Element] = []
    for node in try list() { elements.append(try element(node)) }
    return elements
  }

  /// The members of an object whose keys are data, such as case names.
  package func members() throws(JSONError) -> [JSONMember] {
    guard case .object(let members) = content else { throw wrongType("object") }
    return members
  }

  /// A reader of an object with known keys.
  ///
  /// `of` says what the object is, for messages: `a step`. `keys` are all keys that it may have,
  /// and an unknown one is refused at once; without them it is refused by
  /// ``ObjectReader/finish()``, when nobody asked for it.
  package func object(
    _ of: String, keys: [String]? = nil
  ) throws(JSONError) -> ObjectReader {
    try ObjectReader(self, of: of, keys: keys)
  }

  /// One of a closed list of words, such as a verdict; `kind` says of what.
  package func word(_ kind: String, of allowed: [String]) throws(JSONError) -> String {
    let word = try text()
    guard allowed.contains(word) else {
      throw JSONError(.unknownWord(word, kind: kind, allowed: allowed), at: range.insideQuotes)
    }
    return word
  }

  /// One case of an enumeration, by its raw value.
  package func word<Word>(_ kind: String, as: Word.Type = Word.self) throws(JSONError) -> Word
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    let text = try text()
    guard let word = Word(rawValue: text) else {
      let allowed = Word.allCases.map(\.rawValue)
      throw JSONError(.unknownWord(text, kind: kind, allowed: allowed), at: range.insideQuotes)
    }
    return word
  }

  /// An error of the caller's own about this value: inside the quotes, if it is a text.
  package func error(_ rule: String, allowed: String? = nil) -> JSONError {
    var range = range
    if case .text = content { range = range.insideQuotes }
    return JSONError(.rule(rule, allowed: allowed), at: range)
  }

  func wrongType(_ expected: String) -> JSONError {
    var found = kind
    if case .double(let value) = content { found = "number \(value)" }
    return JSONError(.wrongType(expected: expected, found: found), at: range)
  }

  private func outOfRange(_ value: String, _ allowed: String) -> JSONError {
    JSONError(.outOfRange(value, allowed: allowed), at: range)
  }

  private static func words(_ range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (let low, Int.max): "\(low) or more"
    case (Int.min, let high): "\(high) or less"
    case (let low, let high): "\(low) to \(high)"
    }
  }
}
