/// The parameters of an address that a browser came back with: of its query alone.
///
/// What stands in the fragment is not read: a session never comes that way.
struct CallbackParameters {
  private var values: [String: String] = [:]

  /// Reads an address. Of a parameter that comes twice, the first counts.
  init(_ url: String) {
    let address = url.prefix { $0 != "#" }
    guard let mark = address.firstIndex(of: "?") else { return }
    for pair in address[address.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = Self.decode(parts[0])
      if values[name] == nil { values[name] = parts.count > 1 ? Self.decode(parts[1]) : "" }
    }
  }

  /// The value of a parameter; `nil` if it is missing or empty.
  subscript(name: String) -> String? {
    guard let value = values[name], !value.isEmpty else { return nil }
    return value
  }

  /// Form decoding: a broken escape stays as it is.
  private static func decode(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
