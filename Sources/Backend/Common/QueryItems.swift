/// The parameters of a query or of a form, in their order.
package struct QueryItems: Equatable, Sendable {
  package struct Item: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  package private(set) var items: [Item] = []

  package init(_ items: KeyValuePairs<String, String> = [:]) {
    self.items = items.map { Item(name: $0.key, value: $0.value) }
  }

  /// Reads `a=1&b=two+words`; a broken escape stands for itself.
  package init(parsing text: some StringProtocol) {
    items = text.split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return Item(
        name: PercentEncoding.decode(name, plusIsBlank: true),
        value: PercentEncoding.decode(pair.dropFirst(name.count + 1), plusIsBlank: true))
    }
  }

  /// The first value of a name. Setting replaces all of that name; `nil` removes them.
  package subscript(name: String) -> String? {
    get { items.first { $0.name == name }?.value }
    set {
      items.removeAll { $0.name == name }
      if let newValue { items.append(Item(name: name, value: newValue)) }
    }
  }

  /// As Go and browsers write forms: a blank is a `+`.
  package var text: String {
    items.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
      .joined(separator: "&").split(separator: "%20", omittingEmptySubsequences: false)
      .joined(separator: "+")
  }

  /// A URL with these parameters added to its query, before its fragment.
  package func added(to url: String) -> String {
    guard !items.isEmpty else { return url }
    let base = url.prefix { $0 != "#" }
    return "\(base)\(base.contains("?") ? "&" : "?")\(text)\(url.dropFirst(base.count))"
  }
}

/// The escapes of URLs (RFC 3986 §2.1).
package enum PercentEncoding {
  /// Everything but unreserved characters is escaped.
  package static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// A broken escape stands for itself; bytes that are no UTF-8 become U+FFFD.
  package static func decode(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String {
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
        continue
      }
      decoded.append(byte == UInt8(ascii: "+") && plusIsBlank ? UInt8(ascii: " ") : byte)
      index += 1
    }
    return String(decoding: decoded, as: UTF8.self)
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
