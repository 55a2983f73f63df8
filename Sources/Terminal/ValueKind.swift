import JSON

/// How the text of an option's value becomes a value.
package struct ValueKind<Value: Sendable>: Sendable {
  /// What stands for the value in help: `N`, `TIME`, `NAME`.
  package var placeholder: String
  /// What may stand there, for messages: `a whole number from 1 to 9`.
  package var allowed: String
  /// The words of a closed list, to name the nearest one.
  package var words: [String]
  /// Whether a value is some of the words, with commas between them.
  package var isList = false
  package var parse: @Sendable (String) -> Value?

  package init(
    _ placeholder: String, allowed: String, words: [String] = [],
    parse: @escaping @Sendable (String) -> Value?
  ) {
    self.placeholder = placeholder
    self.allowed = allowed
    self.words = words
    self.parse = parse
  }

  /// Why a text is none of these values, from `option` on.
  func refusal(_ text: String, of option: String) -> String {
    if !words.isEmpty {
      // Of a list, the first entry that is none of the words.
      let wrong =
        text.split(separator: ",").map(String.init).first { !words.contains($0) } ?? text
      let nearest = NearestWord.to(wrong, among: words).map { "; nearest: \($0)" } ?? ""
      return "\(option): no '\(wrong)'\(nearest)   (\(allowed))"
    }
    return "\(option): '\(text)' is not \(allowed)"
  }
}

extension ValueKind where Value == String {
  /// Any text but the empty one.
  package static func text(_ placeholder: String) -> ValueKind {
    ValueKind(placeholder, allowed: "a text") { $0.isEmpty ? nil : $0 }
  }

  /// One of a closed list.
  package static func word(_ placeholder: String, of words: [String]) -> ValueKind {
    ValueKind(placeholder, allowed: words.joined(separator: "|"), words: words) {
      words.contains($0) ? $0 : nil
    }
  }
}

extension ValueKind where Value == [String] {
  /// Some of a list, each once, with commas between them.
  ///
  /// - Parameters:
  ///   - placeholder: Stands for the value in help.
  ///   - words: What help and errors show.
  /// - Returns: The kind.
  package static func list(
    _ placeholder: String, of words: [String]
  ) -> ValueKind {
    let allowed = "some of " + words.joined(separator: ",")
    var kind = ValueKind(placeholder, allowed: allowed, words: words) {
      let parts = $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let isValid = parts.allSatisfy(words.contains) && Set(parts).count == parts.count
      return isValid ? parts : nil
    }
    kind.isList = true
    return kind
  }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One case of an enumeration, by its raw value.
  package static func word(_ placeholder: String) -> ValueKind {
    let words = Value.allCases.map(\.rawValue)
    return ValueKind(placeholder, allowed: words.joined(separator: "|"), words: words) {
      Value(rawValue: $0)
    }
  }
}

extension ValueKind where Value == Int {
  package static func integer(_ placeholder: String, in range: ClosedRange<Int>) -> ValueKind {
    let bounds =
      range.upperBound == .max
      ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
    return ValueKind(placeholder, allowed: "a whole number, \(bounds)") {
      Int(exactDigits: $0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Bytes, with their unit: `512B`, `2KiB`, `1MiB`.
  package static var size: ValueKind {
    ValueKind("SIZE", allowed: "a size such as 512B, 2KiB or 10MiB", parse: SizeText.parse)
  }
}

extension ValueKind where Value == UInt64 {
  /// A seed: any number of 64 bits.
  package static var seed: ValueKind {
    ValueKind("N", allowed: "a whole number, 0 to \(UInt64.max)") { UInt64(exactDigits: $0) }
  }
}

extension ValueKind where Value == Duration {
  /// A time with its units: `30s`, `5m`, `2m30s`.
  package static var duration: ValueKind {
    ValueKind("TIME", allowed: "a time such as 30s, 5m or 2m30s", parse: DurationText.parse)
  }
}

extension FixedWidthInteger {
  /// Like `init(_:)`, but without the leading plus and zeros that nobody means.
  init?(exactDigits text: String) {
    guard let value = Self(text), String(value) == text else { return nil }
    self = value
  }
}
