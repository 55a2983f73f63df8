import Crypto
import JSON
import Ports

/// What faults do to a request before it is handled.
extension GoTrueServer {
  /// What comes before the request.
  ///
  /// - Returns: The reply instead of one that a handler makes; `nil` lets the request through.
  func prepare(_ fault: ServerFault, _ call: inout GoTrueCall) -> ServerReply? {
    switch fault.effect {
    case .loseRequest:
      return ServerReply(HTTPResponse(502), .cut)
    case .htmlReply(let status?):
      return .page(status: status)
    case .refuse(let status, let code):
      return ServerReply(
        response(Self.refusal(status, code), versioned: call.isVersioned))
    case .expiredTokens:
      call.agesTokens = true
    case .changeAddress(let address):
      call.address = address
    case .serverClock:
      happen(fault.effect, to: nil)
    case .elsewhere(let deed):
      call.nowMs = nowMs
      if let named = fault.user {
        happen(fault.effect, to: named)
      } else if let user = user(behind: call) {
        let own = session(behind: call)
        meddle(deed, user, state.sessions.filter { $0.id == own })
      }
    case .loseReply, .hang, .lateReply, .errorReply, .htmlReply, .emptyReply, .cutReply,
      .noVersion, .numberCode, .textCode:
      break
    }
    return nil
  }

  private func meddle(
    _ deed: ServerFault.Deed, _ user: GoTrueState.User, _ sessions: [GoTrueState.Session]
  ) {
    switch deed {
    case .revokeSession: state.endSessions { $0.userID == user.id }
    case .removeFactors: state.removeFactors { $0.userID == user.id }
    case .deleteUser: state.removeUser(user.id)
    case .addFactor:
      var factor = addFactor(named: "elsewhere", of: user, at: nowMs)
      factor.isVerified = true
      state.update(factor)
    case .banUser:
      var user = user
      user.bannedUntilMs = .max
      state.update(user)
    case .rotate(let times):
      for session in sessions { rotateElsewhere(session.id, times: times) }
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

extension GoTrueServer: FaultyService {
  package static let bases = [GoTrueCall.Area.auth, .application].map(\.rawValue)
  package static let routes =
    AuthRoute.allCases.map(\.rawValue) + ApplicationRoute.allCases.map(\.rawValue)
  package static let unknownFaults: Set<ServerFault.Kind> = []

  package var accounts: [String] { state.users.map(\.email) }

  package var holdings: [ServerHolding] {
    state.users.flatMap { user in
      let isBanned = user.bannedUntilMs.map { $0 > nowMs } ?? false
      let sessions = state.sessions.filter { $0.userID == user.id }.map { session in
        let count = state.refreshTokens.count { $0.sessionID == session.id }
        return ServerHolding(
          "session", "\(user.email) \(session.id.prefix(8))",
          note: "refreshed \(session.counter ?? Int64(max(0, count - 1))) times")
      }
      return [ServerHolding("account", user.email, note: isBanned ? "banned" : nil)] + sessions
        + state.factors(of: user.id).map { factor in
          ServerHolding("factor", "\(user.email) \(factor.id.prefix(8))")
        }
    }
  }

  package func happen(_ effect: ServerFault.Effect, to email: String?) {
    switch effect {
    case .serverClock(let ms): state.skewMs += ms
    case .elsewhere(let deed):
      for user in state.users where user.email == email ?? user.email {
        meddle(deed, user, state.sessions.filter { $0.userID == user.id })
      }
    case .loseRequest, .refuse, .loseReply, .hang, .lateReply, .errorReply, .htmlReply,
      .emptyReply, .cutReply, .noVersion, .numberCode, .textCode, .expiredTokens, .changeAddress:
      preconditionFailure("\(effect.kind.rawValue) needs a request")
    }
  }
}

/// What faults do to a reply.
extension GoTrueServer {
  /// What comes after the request: the reply that it would have had, made another.
  func change(
    _ reply: inout ServerReply, by effect: ServerFault.Effect, versioned: Bool
  ) {
    switch effect {
    case .errorReply(let status):
      reply.response = response(Self.refusal(status, nil), versioned: versioned)
    case .noVersion: reply.response.headers["X-Supabase-Api-Version"] = nil
    case .numberCode: setCode(.integer(reply.response.status), in: &reply.response)
    case .textCode:
      setCode(reply.response.headers["x-sb-error-code"].map(JSONValue.text), in: &reply.response)
    case .loseReply, .hang, .lateReply, .htmlReply, .emptyReply, .cutReply, .loseRequest, .refuse,
      .expiredTokens, .changeAddress, .serverClock, .elsewhere:
      reply.change(by: effect)
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
