import JSON
import Ports

/// What faults do to a request, and to its reply.
extension BetterAuthServer {
  /// What comes before the request.
  ///
  /// - Returns: The reply instead of one that a handler makes; `nil` lets the request through.
  func prepare(_ fault: ServerFault, _ call: inout BetterAuthCall) -> ServerReply? {
    switch fault.effect {
    case .loseRequest:
      return ServerReply(HTTPResponse(502), .cut)
    case .htmlReply(let status?):
      return .page(status: status)
    case .refuse(let status, let code):
      return ServerReply(Self.refusal(status, code).response)
    case .changeAddress(let address):
      call.address = address
    case .serverClock:
      happen(fault.effect, to: nil)
    case .elsewhere:
      if let user = fault.user ?? user(behind: call) { happen(fault.effect, to: user) }
    case .loseReply, .hang, .lateReply, .errorReply, .htmlReply, .emptyReply, .cutReply,
      .noVersion, .numberCode, .textCode, .expiredTokens:
      break
    }
    return nil
  }

  /// What comes after the request: the reply that it would have had, made another.
  func change(_ reply: inout ServerReply, by effect: ServerFault.Effect) {
    if case .errorReply(let status) = effect {
      reply.response = Self.refusal(status, nil).response
    } else {
      reply.change(by: effect)
    }
  }

  private static func refusal(_ status: Int, _ code: ErrorCode?) -> BetterAuthRefusal {
    BetterAuthRefusal(status, code?.rawValue.uppercased(), "fault")
  }

  /// The address of the cookie's user, or that of the body.
  private func user(behind call: BetterAuthCall) -> String? {
    do throws(BetterAuthRefusal) {
      if let index = try sessionIndex(call) { return user(state.sessions[index].userID)?.email }
    } catch {
      return nil
    }
    return call.body["email"]?.text?.lowercased()
  }
}

extension BetterAuthServer: FaultyService {
  package static let bases = [BetterAuthCall.basePath]
  package static let routes = BetterAuthRoute.allCases.map(\.rawValue)
  /// It has no versions, no factors, no tokens that are refreshed, and bans nobody.
  package static let unknownFaults: Set<ServerFault.Kind> = [
    .noVersion, .numberCode, .textCode, .expiredTokens, .rotateElsewhere, .addFactor,
    .removeFactors, .banUser,
  ]

  package var accounts: [String] { state.users.map(\.email) }

  package var holdings: [ServerHolding] {
    state.users.flatMap { user in
      [ServerHolding("account", user.email)]
        + state.sessions.filter { $0.userID == user.id }.map { session in
          ServerHolding("session", "\(user.email) \(session.id.prefix(8))")
        }
    }
  }

  package func happen(_ effect: ServerFault.Effect, to email: String?) {
    switch effect {
    case .serverClock(let ms): state.skewMs += ms
    case .elsewhere(.revokeSession):
      for user in accounts where user == email ?? user { revokeSessions(of: user) }
    case .elsewhere(.deleteUser):
      for user in accounts where user == email ?? user { state.removeUser(user) }
    case .loseRequest, .refuse, .loseReply, .hang, .lateReply, .errorReply, .htmlReply,
      .emptyReply, .cutReply, .noVersion, .numberCode, .textCode, .expiredTokens, .changeAddress,
      .elsewhere:
      preconditionFailure("\(effect.kind.rawValue) needs a request, or is of no use here")
    }
  }
}
