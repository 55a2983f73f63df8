/// What JavaScript does with texts, where Swift has other ideas of characters and blanks.
extension String {
  /// As `trim()`.
  var javaScriptTrimmed: String {
    let scalars = unicodeScalars
    let isBlank: (Unicode.Scalar) -> Bool = {
      $0 == "\u{feff}" || ($0.properties.isWhitespace && $0 != "\u{85}")
    }
    guard let first = scalars.firstIndex(where: { !isBlank($0) }),
      let last = scalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// As `split(separator)`, for a separator of ASCII.
  func divided(at separator: Unicode.Scalar) -> [String] {
    unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }

  /// What stands before and behind the first separator; nothing behind without one.
  func dividedOnce(at separator: Unicode.Scalar) -> (String, String?) {
    guard let index = unicodeScalars.firstIndex(of: separator) else { return (self, nil) }
    let rest = unicodeScalars[unicodeScalars.index(after: index)...]
    return (String(unicodeScalars[..<index]), String(rest))
  }

  /// Without one pair of double quotes around it.
  var withoutQuotes: String {
    guard utf8.count >= 2, utf8.first == 0x22, utf8.last == 0x22 else { return self }
    return String(decoding: utf8.dropFirst().dropLast(), as: UTF8.self)
  }

  /// As `parseInt(text, 10)`, without blanks in front; `nil` for `NaN`.
  var leadingInteger: Double? {
    let sign = hasPrefix("-") || hasPrefix("+") ? String(prefix(1)) : ""
    let digits = utf8.dropFirst(sign.utf8.count).prefix { (0x30...0x39).contains($0) }
    return digits.isEmpty ? nil : Double(sign + String(decoding: digits, as: UTF8.self))
  }

  /// As `Number(text)` where that is a whole number.
  var wholeNumber: Int? {
    let text = javaScriptTrimmed
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)]
    where text.lowercased().hasPrefix(prefix) {
      let digits = text.dropFirst(2)
      return digits.first.map { $0 == "-" || $0 == "+" } == false ? Int(digits, radix: radix) : nil
    }
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    if text.isEmpty { return 0 }
    return isDecimal ? Double(text).flatMap { Int(exactly: $0) } : nil
  }
}
