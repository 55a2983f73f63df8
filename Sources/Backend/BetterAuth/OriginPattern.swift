import Wire

/// Better Auth's rule of which addresses are trusted.
///
/// It is wider than the list of hand-offs: user info does not matter, a pattern may hold wildcards, and
/// one with a scheme alone trusts all of it.
package struct OriginPattern: Equatable, Sendable {
  package var text: String

  package init(_ text: String) { self.text = text }

  /// Whether an address is trusted.
  ///
  /// - Parameters:
  ///   - url: The address.
  ///   - allowsRelative: Whether a path of the web app itself is fine.
  /// - Returns: Whether it is.
  package func matches(_ url: String, allowsRelative: Bool = false) -> Bool {
    if url.hasPrefix("/") { return allowsRelative && Self.isPlainPath(url) }
    let parsed = WebURL(url)
    if text.contains("*") || text.contains("?") {
      let pattern = Wildcard(text)
      if text.contains("://") { return pattern.matches(parsed?.origin ?? url) }
      return parsed.map { !$0.host.isEmpty && pattern.matches($0.host) } ?? false
    }
    guard let parsed, !["http:", "https:"].contains(parsed.protocol) else {
      return parsed?.origin == text
    }
    guard let one = CustomOrigin(url), let wanted = CustomOrigin(text),
      one.scheme == wanted.scheme
    else { return false }
    if !wanted.authority.isEmpty, one.authority != wanted.authority { return false }
    return wanted.path.isEmpty || one.path == wanted.path
      || one.path.starts(with: wanted.path)
  }

  /// A path that no browser takes for another host, with a query of harmless characters.
  private static func isPlainPath(_ url: String) -> Bool {
    let isWord: (UInt8) -> Bool = {
      switch $0 {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"): true
      default: false
      }
    }
    let parts = url.dropFirst().utf8.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard !url.hasPrefix("//"),
      parts[0].allSatisfy({ isWord($0) || "-.+/@".utf8.contains($0) })
    else { return false }
    return parts.count == 1 || parts[1].allSatisfy { isWord($0) || "-.+/=&%@".utf8.contains($0) }
  }
}

/// An address of an app, taken apart as text, since parsers differ on such schemes.
private struct CustomOrigin {
  let scheme: String
  let authority: String
  /// The segments that are left when `.` and `..` are followed, decoded.
  let path: [String]

  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return nil }
    scheme = text[..<colon].lowercased()
    var rest = text[text.index(after: colon)...]
    var authority: Substring = ""
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      authority = rest.prefix { !"/?#".contains($0) }
      rest = rest[authority.endIndex...]
    }
    self.authority = authority.lowercased()
    let raw = String(rest.prefix { $0 != "?" && $0 != "#" })
    var path: [String] = []
    for segment in (FormText.decodeComponent(raw) ?? raw).split(separator: "/") {
      switch segment {
      case "..": _ = path.popLast()
      case ".": break
      default: path.append(String(segment))
      }
    }
    self.path = path
  }
}

/// Patterns of the library `wildcard-match`, where `/` and `\` divide.
private struct Wildcard {
  private enum Token: Equatable {
    case scalar(Unicode.Scalar)
    /// Any one that does not divide.
    case any
    /// Any number of those.
    case anyRun
    /// One divider or more.
    case dividers
    /// Dividers at the end.
    case maybeDividers
    /// Any number of whole segments, each with its dividers.
    case segments
    /// Anything.
    case everything
  }

  private var tokens: [Token] = []

  init(_ pattern: String) {
    let segments = pattern.split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() where index == 0 || !segment.isEmpty {
      let isLast = index == segments.count - 1
      let isBeforeAll = !isLast && segments[index + 1] == "**"
      let divider: Token? = isLast ? .maybeDividers : isBeforeAll ? nil : .dividers
      if segment == "**" {
        guard let divider else { continue }
        if index > 0 { tokens.append(divider) }
        tokens.append(isLast ? .everything : .segments)
        continue
      }
      tokens += segment.unicodeScalars.map { $0 == "?" ? .any : $0 == "*" ? .anyRun : .scalar($0) }
      if let divider { tokens.append(divider) }
    }
  }

  func matches(_ text: String) -> Bool {
    Self.matches(tokens[...], Array(text.unicodeScalars)[...])
  }

  private static func matches(
    _ tokens: ArraySlice<Token>, _ text: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let token = tokens.first else { return text.isEmpty }
    let rest = tokens.dropFirst()
    let divides: (Unicode.Scalar) -> Bool = { $0 == "/" || $0 == "\\" }
    switch token {
    case .scalar(let scalar): return text.first == scalar && matches(rest, text.dropFirst())
    case .any:
      return text.first.map { !divides($0) } == true && matches(rest, text.dropFirst())
    case .anyRun: return run(0, text, rest) { !divides($0) }
    case .dividers: return run(1, text, rest, divides)
    case .maybeDividers: return run(0, text, rest, divides)
    case .everything: return run(0, text, rest) { _ in true }
    case .segments:
      return matches(rest, text)
        || text.indices.contains { divides(text[$0]) && matches(rest, text[($0 + 1)...]) }
    }
  }

  /// Tries each number of scalars that fit, beginning with the fewest.
  private static func run(
    _ least: Int, _ text: ArraySlice<Unicode.Scalar>, _ rest: ArraySlice<Token>,
    _ fits: (Unicode.Scalar) -> Bool
  ) -> Bool {
    let most = text.prefix(while: fits).count
    guard least <= most else { return false }
    return (least...most).contains { matches(rest, text.dropFirst($0)) }
  }
}
