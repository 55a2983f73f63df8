/// As much of the URL standard as a check of origins needs: `new URL(text)`.
///
/// Hosts outside of ASCII are refused, and so are the rarer spellings of IPv4 addresses, which the
/// standard would rewrite.
struct WebURL: Equatable {
  /// With its colon.
  let `protocol`: String
  /// With a port that is not the usual one; empty without a host.
  let host: String
  /// What stands behind the host.
  let rest: String

  private static let ports = ["http:": 80, "https:": 443, "ws:": 80, "wss:": 443, "ftp:": 21]

  /// Scheme, host and port; `nil` for schemes whose origins are opaque.
  var origin: String? { Self.ports[`protocol`] == nil ? nil : "\(`protocol`)//\(host)" }

  /// `nil` where `new URL` throws.
  init?(_ text: String) {
    let scalars = text.unicodeScalars.filter { !["\t", "\n", "\r"].contains($0) }
    let trimmed = String(
      String.UnicodeScalarView(scalars.drop { $0 <= " " }.reversed().drop { $0 <= " " }.reversed()))
    guard let colon = trimmed.firstIndex(of: ":"), colon > trimmed.startIndex,
      trimmed[..<colon].utf8.allSatisfy(Self.isSchemeByte),
      trimmed.first?.isASCII == true, trimmed.first?.isLetter == true
    else { return nil }
    `protocol` = trimmed[..<colon].lowercased() + ":"
    let tail = trimmed[trimmed.index(after: colon)...]
    let isSpecial = Self.ports[`protocol`] != nil
    guard isSpecial || tail.hasPrefix("//") else {
      host = ""
      rest = String(tail)
      return
    }
    let isSlash: (Character) -> Bool = { $0 == "/" || (isSpecial && $0 == "\\") }
    let start = isSpecial ? tail.drop(while: isSlash) : tail.dropFirst(2)
    let authority = start.prefix { !isSlash($0) && $0 != "?" && $0 != "#" }
    rest = String(start[authority.endIndex...])
    let withoutUser = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
    guard let host = Self.host(withoutUser ?? authority, usual: Self.ports[`protocol`]) else {
      return nil
    }
    guard !host.isEmpty || !isSpecial else { return nil }
    self.host = host
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: "+-.".utf8.contains(byte)
    }
  }

  private static func host(_ text: Substring, usual: Int?) -> String? {
    let isAddress = text.hasPrefix("[")
    let end =
      isAddress ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
    guard !isAddress || end != nil else { return nil }
    let name = text[..<(end ?? text.endIndex)].lowercased()
    let forbidden = #" #%/:<>?@[\]^|"#
    let inner = isAddress ? name.dropFirst().dropLast() : name[...]
    let isFine = inner.utf8.allSatisfy { byte in
      (0x21...0x7e).contains(byte)
        && (isAddress ? "0123456789abcdef:.".utf8 : forbidden.utf8).contains(byte) == isAddress
    }
    guard isFine else { return nil }
    guard let end, end < text.endIndex else { return name }
    guard text[end] == ":" else { return nil }
    let digits = text[end...].dropFirst()
    if digits.isEmpty { return name }
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
      port < 65_536
    else { return nil }
    return port == usual ? name : "\(name):\(port)"
  }
}
