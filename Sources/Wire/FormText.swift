/// The encoding of queries and forms, `application/x-www-form-urlencoded`.
package enum FormText {
  /// Letters, digits and `*-._` stay, a blank becomes `+`, any other byte an escape.
  package static func encode(_ text: String) -> String {
    encode(text, keeping: "*-._", blank: "+")
  }

  /// As JavaScript's `encodeURIComponent`.
  package static func encodeComponent(_ text: String) -> String {
    encode(text, keeping: "-_.!~*'()", blank: "%20")
  }

  /// Undoes ``encode(_:)``, or gives `nil` for a broken escape and for bytes that are no UTF-8.
  package static func decode(_ text: some StringProtocol) -> String? {
    decode(text, blank: UInt8(ascii: "+"))
  }

  /// Undoes ``encode(_:)``; a broken escape stands for itself, bytes that are no UTF-8 become U+FFFD.
  package static func decodeLeniently(_ text: some StringProtocol) -> String {
    String(decoding: bytes(of: text, blank: UInt8(ascii: "+")).bytes, as: UTF8.self)
  }

  /// As JavaScript's `decodeURIComponent`, which leaves `+` alone; `nil` where that throws.
  package static func decodeComponent(_ text: some StringProtocol) -> String? {
    decode(text, blank: nil)
  }

  private static func encode(_ text: String, keeping kept: String, blank: String) -> String {
    var result = ""
    for byte in text.utf8 {
      if isLetterOrDigit(byte) || kept.utf8.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else if byte == 0x20 {
        result += blank
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  private static func decode(_ text: some StringProtocol, blank: UInt8?) -> String? {
    let (bytes, isWhole) = bytes(of: text, blank: blank)
    return isWhole ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// - Returns: The bytes, with broken escapes as they are; and whether there was none.
  private static func bytes(
    of text: some StringProtocol, blank: UInt8?
  ) -> (bytes: [UInt8], isWhole: Bool) {
    var bytes: [UInt8] = []
    var isWhole = true
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "%") {
        bytes.append(byte == blank ? 0x20 : byte)
        continue
      }
      let digits = rest.prefix(2).compactMap(digit)
      if digits.count == 2 {
        bytes.append(digits[0] << 4 | digits[1])
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
        isWhole = false
      }
    }
    return (bytes, isWhole)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// The parameters of a query, in their order.
package struct FormQuery: Equatable, Sendable {
  package struct Pair: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  package private(set) var pairs: [Pair] = []

  package init(_ pairs: KeyValuePairs<String, String> = [:]) {
    self.pairs = pairs.map { Pair(name: $0.key, value: $0.value) }
  }

  /// Reads a query without its `?`; pairs that cannot be decoded are left out.
  package init(_ query: some StringProtocol) {
    self.init(query) { FormText.decode($0) }
  }

  /// Reads a query without its `?`; a broken escape stands for itself.
  package init(lenient query: some StringProtocol) {
    self.init(query) { FormText.decodeLeniently($0) }
  }

  private init<Query: StringProtocol>(_ query: Query, _ decode: (Query.SubSequence) -> String?) {
    for pair in query.split(separator: "&") {
      let name = pair.prefix { $0 != "=" }
      if let key = decode(name), let value = decode(pair[name.endIndex...].dropFirst()) {
        add(key, value)
      }
    }
  }

  package mutating func add(_ name: String, _ value: String) {
    pairs.append(Pair(name: name, value: value))
  }

  /// The first value of a name. Setting replaces all of that name; `nil` removes them.
  package subscript(name: String) -> String? {
    get { pairs.first { $0.name == name }?.value }
    set {
      pairs.removeAll { $0.name == name }
      if let newValue { add(name, newValue) }
    }
  }

  /// The only value of a name; `nil` without one, and with several.
  package func single(_ name: String) -> String? {
    let values = pairs.filter { $0.name == name }
    return values.count == 1 ? values[0].value : nil
  }

  package var text: String {
    pairs.map { "\(FormText.encode($0.name))=\(FormText.encode($0.value))" }.joined(separator: "&")
  }

  /// A URL with these parameters added to its query, before its fragment.
  package func added(to url: String) -> String {
    guard !pairs.isEmpty else { return url }
    let base = url.prefix { $0 != "#" }
    return "\(base)\(base.contains("?") ? "&" : "?")\(text)\(url.dropFirst(base.count))"
  }
}
