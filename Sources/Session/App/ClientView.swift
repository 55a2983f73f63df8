package import Crypto
package import JSON

/// How an app with its client stands after a command. Holds no token.
package struct ClientView: Equatable, Sendable {
  /// A word of ``AuthStatus``.
  package var status: AuthStatus
  /// The time in the app's process.
  package var nowMs: Int64
  package var isRecovering = false
  package var isDeferred = false
  /// How often this launch has told of a sign-out.
  package var signedOutCount = 0
  /// What guards saw that they must never see.
  package var violations: [String] = []
  /// Why the command failed, as the app says it.
  package var failure: String?
  package var session: ShownSession?

  /// The session that the app shows.
  package struct ShownSession: Equatable, Sendable {
    package var user: String
    /// The server's id of it.
    package var id: String
    /// A digest of the token that the server takes for another one.
    package var tokenDigest: String
    /// Until when its access token is good, by the clock of the server.
    package var expiresMs: Int64
  }

  package init(_ status: AuthStatus, nowMs: Int64) {
    self.status = status
    self.nowMs = nowMs
  }

  /// The digest under which a view speaks of a token.
  package static func digest(ofToken token: String) throws(CryptoError) -> String {
    try SessionReading.digest(of: JavaScriptString(token))
  }
}

extension ClientView.ShownSession {
  /// - Returns: `nil` for a session that nobody could be told by.
  init?(_ session: AuthSession) {
    do {
      let claims = try AccessToken(session.accessToken).payload
      self.init(
        user: session.ownerID ?? "", id: claims["session_id"]?.text ?? "",
        tokenDigest: try ClientView.digest(ofToken: session.refreshToken),
        expiresMs: (claims["exp"]?.integer ?? 0) * 1000)
    } catch {
      return nil
    }
  }
}

// MARK: - As JSON

extension ClientView {
  package var json: JSONValue {
    var fields = JSONObject()
    fields["status"] = .text(status.rawValue)
    fields["nowMs"] = .integer(nowMs)
    fields["isRecovering"] = .bool(isRecovering)
    fields["isDeferred"] = .bool(isDeferred)
    fields["signedOutCount"] = .integer(signedOutCount)
    fields["violations"] = .list(violations.map(JSONValue.text))
    fields["failure"] = failure.map(JSONValue.text)
    fields["session"] = session.map {
      [
        "user": .text($0.user), "id": .text($0.id), "tokenDigest": .text($0.tokenDigest),
        "expiresMs": .integer($0.expiresMs),
      ]
    }
    return .object(fields)
  }

  /// Reads ``json``.
  package init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a view of the app")
    self.init(
      try reader.required("status").word("status", as: AuthStatus.self),
      nowMs: Int64(try reader.required("nowMs").integer(in: 0...Int.max)))
    isRecovering = try reader.required("isRecovering").bool()
    isDeferred = try reader.required("isDeferred").bool()
    signedOutCount = try reader.required("signedOutCount").integer(in: 0...Int.max)
    violations = try reader.required("violations").list { node throws(JSONError) in
      try node.text()
    }
    failure = try reader.optional("failure")?.text()
    session = try reader.optional("session").map { node throws(JSONError) in
      var session = try node.object("a session of the app")
      return ShownSession(
        user: try session.required("user").text(), id: try session.required("id").text(),
        tokenDigest: try session.required("tokenDigest").text(),
        expiresMs: Int64(try session.required("expiresMs").integer(in: 0...Int.max)))
    }
    try reader.finish()
  }
}
