/// Which texts are the scheme of an app: RFC 3986, in lower case.
enum SchemeRule {
  static func holds(for text: Substring) -> Bool {
    guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
    else { return false }
    return text.utf8.allSatisfy { isLowerOrDigit($0) || "+-.".utf8.contains($0) }
  }
}

/// Which texts are a host: labels of lower-case letters, digits and inner hyphens.
///
/// A last label that looks like a number makes browsers read the whole as an IPv4 address in any of
/// its spellings (`127.1`, `0x7f.0.0.1`, `2130706433`), so only four plain decimals may end so.
enum HostRule {
  static func holds(for text: Substring) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last else {
      return false
    }
    return !looksNumeric(last) || IPv4(text) != nil
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy { isLowerOrDigit($0) || $0 == UInt8(ascii: "-") }
  }

  private static func looksNumeric(_ label: Substring) -> Bool {
    label.hasPrefix("0x") || label.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// An IPv4 address in its one canonical spelling.
struct IPv4 {
  let octets: [UInt8]

  init?(_ text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let octets = parts.compactMap { part in UInt8(part).flatMap { "\($0)" == part ? $0 : nil } }
    guard parts.count == 4, octets.count == 4 else { return nil }
    self.octets = octets
  }

  /// Whether the address leads to the machine itself or into a network that is not the Internet.
  var isLocal: Bool {
    switch (octets[0], octets[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127),
      (198, 18...19), (224..., _):
      true
    default: false
    }
  }
}

private func isLowerOrDigit(_ byte: UInt8) -> Bool {
  isLetterOrDigit(byte) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
}
