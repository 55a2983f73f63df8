/// An address that leads from a browser back into the app, read without any forgiveness.
///
/// Parsers of URLs repair what they read, each in its own way: they drop tabs, turn `\` into `/`,
/// decode hosts, resolve `..`. Whoever compares the repaired address trusts something else than the
/// text that the system opens. So this reader knows one spelling only and refuses the rest:
///
///     scheme "://" host [":" port] path ["?" name "=" value *("&" name "=" value)]
///
/// Scheme and host are lower-case ASCII, a path has neither empty nor dotted segments nor escapes,
/// escapes in the query are whole and give no control characters, and nothing has a fragment or
/// user info. Names and values stay as written, because an escaped spelling of a nonce is another
/// nonce.
package struct CallbackURL: Equatable, Sendable {
  package struct Parameter: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  package var scheme: String
  package var host: String
  /// As written; `nil` without one.
  package var port: Int?
  /// Empty, or with a leading slash.
  package var path: String
  package var parameters: [Parameter]

  /// Longer addresses are refused unread.
  package static let lengthMax = 16_384

  /// - Throws: ``CallbackRefusal`` with the first part that is not in order.
  package init(_ text: String) throws(CallbackRefusal) {
    guard text.utf8.count <= Self.lengthMax, text.utf8.allSatisfy(Self.isAllowed) else {
      throw CallbackRefusal(.text)
    }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      SchemeRule.holds(for: text[..<colon]), text[colon...].hasPrefix("://")
    else { throw CallbackRefusal(.scheme) }
    scheme = String(text[..<colon])
    let rest = text[colon...].dropFirst(3)
    guard !rest.contains("#") else { throw CallbackRefusal(.fragment) }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw CallbackRefusal(.userInfo) }
    (host, port) = try Self.hostAndPort(authority)
    let target = rest[authority.endIndex...]
    let path = target.prefix { $0 != "?" }
    guard Self.isPath(path) else { throw CallbackRefusal(.path) }
    self.path = String(path)
    parameters = try Self.parameters(target[path.endIndex...])
  }

  /// The only value of a name, as written; `nil` without one, and with several.
  package func single(_ name: String) -> String? {
    let values = parameters.filter { $0.name == name }
    return values.count == 1 ? values[0].value : nil
  }

  package func has(_ name: String) -> Bool { parameters.contains { $0.name == name } }

  /// The address with one more parameter, whose value is escaped as a form does it.
  package func adding(_ name: String, _ value: String) -> CallbackURL {
    var longer = self
    longer.parameters.append(Parameter(name: name, value: FormText.encode(value)))
    return longer
  }

  /// The one spelling, which reads back as the same address.
  package var text: String {
    let query = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") + path
      + (parameters.isEmpty ? "" : "?\(query)")
  }
}

// MARK: - Parts

extension CallbackURL {
  /// Printable ASCII, but what RFC 3986 keeps out of every part.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x7e: !#""<>\^`{|}"#.utf8.contains(byte)
    default: false
    }
  }

  private static func hostAndPort(
    _ authority: Substring
  ) throws(CallbackRefusal) -> (host: String, port: Int?) {
    let host = authority.prefix { $0 != ":" }
    guard HostRule.holds(for: host) else { throw CallbackRefusal(.host) }
    guard host.endIndex < authority.endIndex else { return (String(host), nil) }
    let digits = authority[host.endIndex...].dropFirst()
    guard let port = Int(digits), (1...65_535).contains(port), String(port) == digits else {
      throw CallbackRefusal(.port)
    }
    return (String(host), port)
  }

  /// Empty, one slash, or segments of unreserved characters none of which moves up or stays.
  private static func isPath(_ path: Substring) -> Bool {
    if path.isEmpty || path == "/" { return true }
    return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.allSatisfy(isUnreserved)
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || "-._~".utf8.contains(byte)
  }

  /// What follows the path: nothing, or a `?` and pairs.
  private static func parameters(_ query: Substring) throws(CallbackRefusal) -> [Parameter] {
    guard !query.isEmpty else { return [] }
    var parameters: [Parameter] = []
    for pair in query.dropFirst().split(separator: "&", omittingEmptySubsequences: false) {
      let name = pair.prefix { $0 != "=" }
      let value = pair[name.endIndex...].dropFirst()
      guard name.endIndex < pair.endIndex, !name.isEmpty, name.utf8.allSatisfy(isUnreserved),
        let decoded = FormText.decode(value), !decoded.unicodeScalars.contains(where: isControl)
      else { throw CallbackRefusal(.query) }
      parameters.append(Parameter(name: String(name), value: String(value)))
    }
    return parameters
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}

/// Why an address is no target of a callback: the first part that is not in order.
package struct CallbackRefusal: Error, Equatable, Sendable {
  package enum Part: String, Sendable {
    /// Length, or a character that no part may have.
    case text
    case scheme, fragment, userInfo, host, port, path, query
    /// Well formed, and trusted by nobody.
    case list
  }

  package var part: Part

  package init(_ part: Part) { self.part = part }
}

/// `a` to `z`, `A` to `Z`, `0` to `9`.
func isLetterOrDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: false
  }
}
