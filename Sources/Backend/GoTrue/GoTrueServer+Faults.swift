import Crypto
import JSON
import Ports

/// What faults do to a request before it is handled, and to its reply.
extension GoTrueServer {
  /// What comes before the request.
  ///
  /// - Returns: The reply instead of one that a handler makes; `nil` lets the request through.
  func prepare(_ effect: ServerFault.Effect, _ call: inout GoTrueCall) -> ServerReply? {
    switch effect {
    case .loseRequest:
      return ServerReply(HTTPResponse(502), .cut)
    case .refuse(let status, let code):
      return ServerReply(
        response(Self.refusal(status, code), versioned: call.isVersioned))
    case .expiredTokens:
      call.agesTokens = true
    case .changeAddress(let address):
      call.address = address
    case .skew(let ms):
      state.skewMs += ms
    case .elsewhere(let deed):
      call.nowMs = nowMs
      if let user = user(behind: call) { meddle(deed, user, call) }
    case .loseReply, .hang, .delay, .replace, .htmlBody, .emptyBody, .truncatedBody,
      .noVersionHeader, .numberCode, .textCode:
      break
    }
    return nil
  }

  private func meddle(
    _ deed: ServerFault.Deed, _ user: GoTrueState.User, _ call: GoTrueCall
  ) {
    switch deed {
    case .revokeSessions: state.endSessions { $0.userID == user.id }
    case .removeFactors: state.removeFactors { $0.userID == user.id }
    case .deleteUser: state.removeUser(user.id)
    case .addFactor:
      var factor = addFactor(named: "elsewhere", of: user, at: call.nowMs)
      factor.isVerified = true
      state.update(factor)
    case .banUser:
      var user = user
      user.bannedUntilMs = .max
      state.update(user)
    case .rotate(let times):
      if let session = session(behind: call) { rotateElsewhere(session, times: times) }
    }
  }

  /// By the bearer's token, the refresh token or the address of the body.
  private func user(behind call: GoTrueCall) -> GoTrueState.User? {
    if let session = session(behind: call).flatMap({ state.session(id: $0) }) {
      return state.user(id: session.userID)
    }
    return call.email.flatMap { state.user(email: $0) }
  }

  private func session(behind call: GoTrueCall) -> String? {
    let shown = call.text("refresh_token")
    if let row = state.refreshTokens.first(where: { $0.token == shown }) {
      return row.sessionID
    }
    do throws(GoTrueError) {
      if let shown { return try readCountedToken(shown).0 }
      return try claims(call)["session_id"]?.text
    } catch {
      return nil
    }
  }
}

extension GoTrueServer {
  /// What comes after the request: the reply that it would have had, made another.
  func change(
    _ reply: inout ServerReply, by effect: ServerFault.Effect, versioned: Bool
  ) {
    switch effect {
    case .loseReply: reply.delivery = .cut
    case .hang: reply.delivery = .never
    case .delay(let ms): reply.delivery = .after(.milliseconds(ms))
    case .replace(let status):
      reply.response = response(Self.refusal(status, nil), versioned: versioned)
    case .htmlBody:
      reply.response.body = Array("<html><body>Bad gateway</body></html>".utf8)
      reply.response.headers["Content-Type"] = "text/html"
    case .emptyBody: reply.response.body = []
    case .truncatedBody: reply.response.body.removeLast(reply.response.body.count / 2)
    case .noVersionHeader: reply.response.headers["X-Supabase-Api-Version"] = nil
    case .numberCode: setCode(.integer(reply.response.status), in: &reply.response)
    case .textCode:
      setCode(reply.response.headers["x-sb-error-code"].map(JSONValue.text), in: &reply.response)
    case .loseRequest, .refuse, .expiredTokens, .skew, .changeAddress, .elsewhere:
      break
    }
  }

  private func setCode(_ code: JSONValue?, in response: inout HTTPResponse) {
    guard let code, response.status >= 400 else { return }
    guard var body = object(in: response.body) else { return }
    body["code"] = code
    response.body = JSONWriter.bytes(of: .object(body))
  }

  /// `nil` if another fault has made the body something else already.
  private func object(in body: [UInt8]) -> JSONObject? {
    do {
      return try JSONReader.read(body).value.object
    } catch {
      return nil
    }
  }

  private static func refusal(_ status: Int, _ code: ErrorCode?) -> GoTrueError {
    let usual: ErrorCode =
      switch status {
      case 409: .conflict
      case 429: .overRequestRateLimit
      case 504: .requestTimeout
      default: .unexpectedFailure
      }
    let code = code ?? usual
    return .error(status, code, "fault: \(code.rawValue)")
  }
}
