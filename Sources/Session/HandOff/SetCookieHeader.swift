package import Wire

/// A `Set-Cookie` header as Better Auth's client reads it: several cookies may be joined by commas,
/// and nothing is ever refused.
package struct SetCookieHeader: Equatable, Sendable, CustomStringConvertible {
  /// What a cookie says beside its value.
  package enum Attribute: Equatable, Sendable {
    case flag
    case text(String)
    /// Of `Max-Age`; `nil` where JavaScript has `NaN`.
    case seconds(Double?)
    /// Of `Expires`; `nil` for an invalid date.
    case time(Instant?)
    /// A name that needs a value and has none.
    case undefined
  }

  package struct Cookie: Equatable, Sendable {
    package var name: String
    package var value: String
    package var attributes: [String: Attribute] = [:]
  }

  package private(set) var cookies: [Cookie] = []

  /// Without the values, which are secrets.
  package var description: String { "cookies \(cookies.map(\.name))" }

  /// A later cookie of a name takes the place of an earlier one.
  package init(_ text: String) {
    for part in Self.split(text) {
      guard let cookie = Self.cookie(part) else { continue }
      if let index = cookies.firstIndex(where: { $0.name == cookie.name }) {
        cookies[index] = cookie
      } else {
        cookies.append(cookie)
      }
    }
  }

  /// Divides at each comma that a name and `=` follow, so that the comma of a date divides nothing.
  package static func split(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var parts: [String] = []
    var start = 0
    func close(at end: Int) {
      let part = String(decoding: bytes[start..<end], as: UTF8.self).javaScriptTrimmed
      if !part.isEmpty { parts.append(part) }
    }
    for index in bytes.indices where bytes[index] == comma && index >= start {
      guard startsCookie(bytes[(index + 1)...]) else { continue }
      close(at: index)
      start = index + 1
    }
    close(at: bytes.count)
    return parts
  }

  private static let comma = UInt8(ascii: ",")

  private static func startsCookie(_ bytes: ArraySlice<UInt8>) -> Bool {
    let end = bytes.first { ",;=".utf8.contains($0) }
    return end == UInt8(ascii: "=")
  }

  private static func cookie(_ text: String) -> Cookie? {
    let parts = text.divided(at: ";").map(\.javaScriptTrimmed)
    let (name, value) = parts[0].dividedOnce(at: "=")
    guard !name.isEmpty else { return nil }
    let bare = (value ?? "").withoutQuotes
    var cookie = Cookie(name: name, value: FormText.decodeComponent(bare) ?? bare)
    for part in parts.dropFirst() {
      let (name, value) = part.dividedOnce(at: "=")
      let key = name.javaScriptTrimmed.lowercased()
      // Assigning a text as the prototype of an object does nothing.
      guard key != "__proto__" else { continue }
      cookie.attributes[key] = attribute(key, (value ?? "").javaScriptTrimmed.withoutQuotes)
    }
    return cookie
  }

  private static func attribute(_ key: String, _ value: String) -> Attribute {
    switch key {
    case "secure", "httponly", "partitioned": .flag
    case "max-age": value.isEmpty ? .undefined : .seconds(value.leadingInteger)
    case "expires": value.isEmpty ? .undefined : .time(Instant(value))
    case "domain", "path": value.isEmpty ? .undefined : .text(value)
    case "samesite": value.isEmpty ? .undefined : .text(value.lowercased())
    default: value.isEmpty ? .flag : .text(value)
    }
  }
}

extension SetCookieHeader.Cookie {
  /// When the cookie ends.
  enum End: Equatable { case never, now, at(Instant) }

  /// `Max-Age` first, then `Expires`; one that is no time at all is left out.
  ///
  /// - Throws: ``CookieJarError/invalidTime`` for a date that `toISOString` cannot write.
  func end(nowMs: Int64) throws(CookieJarError) -> End {
    if case .seconds(let seconds?)? = attributes["max-age"] {
      guard seconds > 0 else { return .now }
      let ms = Double(nowMs) + seconds * 1000
      guard ms <= Double(Instant.msMax) else { throw .invalidTime }
      return .at(Instant(ms: Int64(ms)))
    }
    guard case .time(let time)? = attributes["expires"] else { return .never }
    guard let time else { throw .invalidTime }
    return time.ms <= nowMs ? .now : .at(time)
  }
}

/// The names of cookies that Better Auth uses.
package enum CookieName {
  /// Without the prefix that says how strictly a browser must treat the cookie.
  package static func withoutSecurePrefix(_ name: String) -> String {
    for prefix in ["__Secure-", "__Host-"] where name.hasPrefix(prefix) {
      return String(name.dropFirst(prefix.count))
    }
    return name
  }

  /// Whether a header has a cookie of Better Auth: only then its client looks at the jar.
  ///
  /// - Parameters:
  ///   - header: The `Set-Cookie` header.
  ///   - prefixes: How the names may begin. The empty one stands for the names of sessions.
  /// - Returns: Whether one of the cookies is meant for the client.
  package static func isAny(in header: SetCookieHeader, of prefixes: [String]) -> Bool {
    header.cookies.contains { cookie in
      let name = withoutSecurePrefix(cookie.name)
      return prefixes.contains { prefix in
        prefix.isEmpty
          ? name.hasSuffix("session_token") || name.hasSuffix("session_data")
          : name.hasPrefix(prefix)
      }
    }
  }
}
