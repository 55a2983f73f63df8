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
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
        else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(byte == blank ? 0x20 : byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
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
package struct FormQuery: Sendable {
  package private(set) var pairs: [(name: String, value: String)] = []

  package init() {}

  /// Reads a query without its `?`; pairs that cannot be decoded are left out.
  package init(_ query: some StringProtocol) {
    for pair in query.split(separator: "&") {
      let name = pair.prefix { $0 != "=" }
      if let key = FormText.decode(name),
        let value = FormText.decode(pair[name.endIndex...].dropFirst())
      {
        pairs.append((key, value))
      }
    }
  }

  package mutating func add(_ name: String, _ value: String) { pairs.append((name, value)) }

  /// The only value of a name; `nil` without one, and with several.
  package func single(_ name: String) -> String? {
    let values = pairs.filter { $0.name == name }
    return values.count == 1 ? values[0].value : nil
  }

  package var text: String {
    pairs.map { "\(FormText.encode($0.name))=\(FormText.encode($0.value))" }.joined(separator: "&")
  }
}
