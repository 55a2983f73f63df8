/// A text as JavaScript holds it: a sequence of UTF-16 code units, maybe not valid Unicode.
///
/// What a store decrypts with a wrong key can contain half of a surrogate pair, which Swift's
/// `String` cannot hold. Valid texts are kept as a `String`, so the ordinary case costs no
/// conversion. Two values are equal when their code units are; composed and decomposed letters
/// stay apart, unlike with `String`.
package struct JavaScriptString: Sendable {
  private enum Form: Sendable {
    case valid(String)
    /// Code units with at least one lone surrogate.
    case broken([UInt16])
  }

  private let form: Form

  package init(_ text: String) { form = .valid(text) }

  /// Takes any code units.
  ///
  /// - Complexity: O(*n*).
  package init(units: [UInt16]) {
    form = Self.isValid(units) ? .valid(String(decoding: units, as: UTF16.self)) : .broken(units)
  }

  /// The text, if it is valid Unicode.
  package var text: String? {
    switch form {
    case .valid(let text): text
    case .broken: nil
    }
  }

  /// The text with U+FFFD for each lone surrogate: what crosses the bridge into a native module,
  /// which takes UTF-8.
  package var repaired: String {
    switch form {
    case .valid(let text): text
    case .broken(let units): String(decoding: units, as: UTF16.self)
    }
  }

  /// The code units.
  ///
  /// - Complexity: O(*n*).
  package var units: [UInt16] {
    switch form {
    case .valid(let text): Array(text.utf16)
    case .broken(let units): units
    }
  }

  package var isEmpty: Bool {
    switch form {
    case .valid(let text): text.isEmpty
    case .broken: false
    }
  }

  /// The size in UTF-8, where a lone surrogate takes three bytes.
  package var utf8Bytes: Int { repaired.utf8.count }

  private static func isValid(_ units: [UInt16]) -> Bool {
    var index = 0
    while index < units.count {
      if UTF16.isTrailSurrogate(units[index]) { return false }
      if UTF16.isLeadSurrogate(units[index]) {
        index += 1
        guard index < units.count, UTF16.isTrailSurrogate(units[index]) else { return false }
      }
      index += 1
    }
    return true
  }
}

extension JavaScriptString: Equatable {
  package static func == (one: JavaScriptString, other: JavaScriptString) -> Bool {
    switch (one.form, other.form) {
    case (.valid(let one), .valid(let other)): one.utf8.elementsEqual(other.utf8)
    case (.broken(let one), .broken(let other)): one == other
    case (.valid, .broken), (.broken, .valid): false
    }
  }
}

extension JavaScriptString: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.init(text) }
}
