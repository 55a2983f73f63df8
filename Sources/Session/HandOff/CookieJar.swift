import Wire

/// The cookies that Better Auth's client keeps, as it keeps them: one JSON text, name → value and
/// the time when it ends.
///
/// The text may be anything, because nothing protects the item that it lies in. So the jar does with
/// a text that is no jar what the JavaScript does: a list or a number stays as it is for ever, what
/// cannot be parsed is an empty jar.
package struct CookieJar: Equatable, Sendable, CustomStringConvertible {
  private var value: OrderedJSON

  /// - Parameter text: The stored text; `nil` without one.
  package init(_ text: String?) {
    let parsed = text.flatMap { OrderedJSON.reading($0, revivingDates: true) }
    value = parsed.flatMap { $0 == .null ? nil : $0 } ?? .object(OrderedMembers())
  }

  /// Without the cookies, which are secrets.
  package var description: String { "a jar" }

  /// What is stored.
  package var text: String { value.json }

  /// Takes over the cookies of a header and drops those that it ends; all others stay.
  ///
  /// - Throws: ``CookieJarError/invalidTime``; the jar is as it was.
  package mutating func merge(
    _ header: SetCookieHeader, nowMs: Int64
  ) throws(CookieJarError) {
    guard case .object(var object) = value else {
      for cookie in header.cookies { _ = try cookie.end(nowMs: nowMs) }
      return
    }
    for cookie in header.cookies {
      switch try cookie.end(nowMs: nowMs) {
      case .now: object[cookie.name] = nil
      case .never: object.assign(cookie.name, Self.entry(cookie.value, .null))
      case .at(let time):
        object.assign(cookie.name, Self.entry(cookie.value, .text(time.isoText)))
      }
    }
    value = .object(object)
  }

  private static func entry(_ value: String, _ expires: OrderedJSON) -> OrderedJSON {
    var entry = OrderedMembers()
    entry["value"] = .text(value)
    entry["expires"] = expires
    return .object(entry)
  }

  /// The text of a `Cookie` header: all that have not ended.
  ///
  /// - Throws: ``CookieJarError/noObject`` for an entry that is `null`.
  package func header(nowMs: Int64) throws(CookieJarError) -> String {
    var pairs: [String] = []
    for (name, cookie) in value.entries {
      guard cookie != .null else { throw .noObject }
      if let end = cookie["expires"], end.isTruthy, let time = Self.time(end), time.ms < nowMs {
        continue
      }
      pairs.append("\(name)=\(cookie["value"]?.interpolated ?? "undefined")")
    }
    return pairs.joined(separator: "; ")
  }

  /// As `new Date(value)`; `nil` for an invalid date.
  private static func time(_ value: OrderedJSON) -> Instant? {
    switch value {
    case .text(let text): Instant(text)
    case .date(let instant): instant
    case .number(let ms): Int64(exactly: ms.rounded(.towardZero)).map(Instant.init(ms:))
    case .bool, .null: Instant(ms: value.isTruthy ? 1 : 0)
    case .list, .object: nil
    }
  }

  /// The state of a sign-in with a provider that the server left in a cookie.
  package func oauthState(_ prefixes: [String]) -> String? {
    for name in prefixes.flatMap({ ["__Secure-\($0).oauth_state", "\($0).oauth_state"] }) {
      if let state = value[name]?["value"], state.isTruthy { return state.interpolated }
    }
    return nil
  }

  /// Whether the value of a cookie that holds a session differs between two stored texts.
  ///
  /// Times do not count, since they change with every reply. A text that is no jar counts as a change.
  package static func isSessionChanged(from old: String?, to new: String) -> Bool {
    guard let old, !old.isEmpty, let before = OrderedJSON.reading(old), before != .null,
      let after = OrderedJSON.reading(new), after != .null
    else { return true }
    let names = (before.entries + after.entries).map(\.name).filter {
      $0.contains("session_token") || $0.contains("session_data")
    }
    return names.contains { before[$0]?["value"] != after[$0]?["value"] }
  }
}

extension OrderedMembers {
  /// `object[name] = value`, which for one name sets the prototype unless a text was parsed with it.
  fileprivate mutating func assign(_ name: String, _ value: OrderedJSON) {
    guard name != "__proto__" || self[name] != nil else { return }
    self[name] = value
  }
}

/// What JavaScript throws while it works on a jar.
package enum CookieJarError: Error, Equatable, Sendable {
  /// `RangeError: Invalid time value`: a cookie ends at a time that is none.
  case invalidTime
  /// `TypeError`: an entry of the jar is `null`.
  case noObject
}
