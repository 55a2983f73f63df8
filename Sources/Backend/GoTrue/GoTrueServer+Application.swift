import JSON
import Ports

/// The handlers of an application, `/api/v1`. They look at the token only, as services do that
/// never ask the auth server: a session that has ended is accepted until its token expires. A
/// user with a verified factor must come with aal2, whatever the client believes.
extension GoTrueServer {
  func handleApplication(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let user = try member(call)
    switch ApplicationRoute(rawValue: call.route) {
    case .me:
      return .json(["id": .text(user.id), "email": .text(user.email)])
    case .sendCode:
      try mail(.sensitive, "sensitive", to: user, flow: nil, call)
      return .json(["success": true])
    case .delete:
      guard try spend([.sensitive], call.text("otp") ?? "", of: user, call) != nil else {
        throw .codeExpired
      }
      state.removeUser(user.id)
      return .json(["success": true])
    case .invitations:
      return .json(.list(state.invitations.filter { isOpen($0, for: user) }.map(json)))
    case .acceptInvitation:
      return try acceptInvitation(user, call)
    case nil:
      throw .unknownRoute
    }
  }

  private func member(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueState.User {
    let claims = try claims(call)
    guard let user = state.user(id: claims["sub"]?.text ?? "") else {
      throw .error(403, .userNotFound, "User from sub claim in JWT does not exist")
    }
    if state.hasVerifiedFactor(user.id), claims["aal"]?.text != "aal2" {
      throw .error(403, .insufficientAAL, "AAL2 required")
    }
    return user
  }

  private func isOpen(
    _ invitation: GoTrueState.Invitation, for user: GoTrueState.User
  ) -> Bool {
    invitation.email == user.email && user.confirmedMs != nil && invitation.acceptedBy == nil
  }

  /// Without the token, which never leaves the server.
  private func json(_ invitation: GoTrueState.Invitation) -> JSONValue {
    ["id": .text(invitation.id), "workspace": .text(invitation.workspace)]
  }

  /// The row is found by its id and must be for the address of the token; another's is not there.
  private func acceptInvitation(
    _ user: GoTrueState.User, _ call: GoTrueCall
  ) throws(GoTrueError) -> GoTrueAnswer {
    let found = state.invitations.firstIndex { $0.id == call.id && isOpen($0, for: user) }
    guard let index = found else { throw .error(404, .validationFailed, "No such invitation") }
    state.invitations[index].acceptedBy = user.id
    return .json(json(state.invitations[index]))
  }
}
