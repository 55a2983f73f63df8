package import JSON

/// A session as the client holds and stores it: the server's token reply, with every member that the
/// server sent.
package struct AuthSession: Equatable, Sendable {
  package var json: JSONObject

  package init(_ json: JSONObject) { self.json = json }
}

extension AuthSession {
  /// Takes a stored value for a session when it has three members, of whatever type.
  init?(stored value: JSONValue) {
    guard let json = value.object,
      ["access_token", "refresh_token", "expires_at"].allSatisfy({ json[$0] != nil })
    else { return nil }
    self.init(json)
  }

  /// The session in a reply to a token request; `nil` when there is none.
  ///
  /// - Parameters:
  ///   - reply: What the server said.
  ///   - nowMs: The time of this device's clock.
  ///   - isByOwnClock: Whether the time of expiry goes by that clock; else it does only where the
  ///     server names none.
  init?(reply: JSONValue, nowMs: Int64, isByOwnClock: Bool) {
    guard var json = reply.object,
      ["access_token", "refresh_token", "expires_in"].allSatisfy({
        JavaScriptValue.isTruthy(json[$0])
      })
    else { return nil }
    if isByOwnClock || !JavaScriptValue.isTruthy(json["expires_at"]) {
      json["expires_at"] = Self.expiry(of: json, nowMs: nowMs)
    }
    self.init(json)
  }

  static func expiry(of reply: JSONObject, nowMs: Int64) -> JSONValue {
    let now = (Double(nowMs) / 1000).rounded()
    return .integer(Int64(now + JavaScriptValue.number(reply["expires_in"])))
  }

  package var accessToken: String { json["access_token"]?.text ?? "" }

  /// Empty when it is missing, or no text.
  package var refreshToken: String { json["refresh_token"]?.text ?? "" }

  /// `nil` when it is missing or null: a session that a store or a server mutilated.
  package var user: AuthUser? { json["user"]?.object.map(AuthUser.init) }

  /// Whether the session says of itself that a second factor is due: its user has one, and its access
  /// token was got without.
  var needsSecondFactor: Bool {
    guard user?.hasVerifiedFactor == true else { return false }
    do throws(AuthError) {
      return try AccessToken(accessToken).payload["aal"] != "aal2"
    } catch {
      return false
    }
  }

  /// How long the access token is good, in milliseconds; `nil` when it says no time of expiry.
  func leftMs(nowMs: Int64) -> Double? {
    guard JavaScriptValue.isTruthy(json["expires_at"]) else { return nil }
    return JavaScriptValue.number(json["expires_at"]) * 1000 - Double(nowMs)
  }

  func isStillGood(nowMs: Int64) -> Bool { (leftMs(nowMs: nowMs) ?? 0) > 0 }
}

/// A user as the server describes it.
package struct AuthUser: Equatable, Sendable {
  package var json: JSONObject

  package init(_ json: JSONObject) { self.json = json }
}

extension AuthUser {
  /// The user in a reply to a question for one: a member, or the reply itself.
  init(userReply reply: JSONValue) {
    self.init(reply["user"]?.object ?? reply.object ?? [:])
  }

  /// The user in a reply to a token request, if there is one.
  init?(reply: JSONValue) {
    guard reply["user"]?.object != nil || reply["id"]?.text != nil else { return nil }
    self.init(userReply: reply)
  }

  /// The factors, unverified ones too.
  var factors: [JSONObject] { json["factors"]?.list?.compactMap(\.object) ?? [] }

  var hasVerifiedFactor: Bool { factors.contains { $0["status"]?.text == "verified" } }
}
