import JSON
import Ports

/// What those who test see and do: `/lab`, and the same in process.
extension GoTrueServer {
  func handleLab(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    switch call.route {
    case "GET /outbox":
      let mails = state.outbox.filter { $0.to == call.query["to"] ?? $0.to }
      return .json(.list(mails.map(\.stored)))
    case "GET /faults":
      return .json(.list(faults.entries.map(json)))
    case "POST /faults":
      return .json(["id": .integer(faults.arm(try readFault(call)))])
    case "DELETE /faults":
      faults.disarm()
      return .empty
    case "POST /identity-token":
      let token: String
      do {
        token = try identityToken(
          call.text("provider") ?? "apple", email: call.text("email") ?? settings.providerEmail,
          audience: call.text("audience") ?? settings.clientIDs.first ?? "",
          nonce: call.text("nonce"))
      } catch {
        throw .unexpected
      }
      return .json(["id_token": .text(token)])
    default:
      throw .unknownRoute
    }
  }

  private func json(_ entry: FaultPlan.Entry) -> JSONValue {
    [
      "id": .integer(entry.id), "fault": .text(entry.fault.effect.kind.rawValue),
      "path": .text(entry.fault.path), "status": entry.fired == 0 ? "armed" : "fired",
      "fired": .integer(entry.fired),
    ]
  }

  /// Read anew, so that an error has its place.
  private func readFault(_ call: GoTrueCall) throws(GoTrueError) -> ServerFault {
    do throws(JSONError) {
      return try ServerFault(JSONReader.read(JSONWriter.bytes(of: .object(call.body))))
    } catch {
      throw .invalid("\(error)")
    }
  }
}

extension GoTrueServer {
  /// An account as it would be after a sign-up and its confirmation; for scenarios that begin
  /// later.
  package func addAccount(_ email: String, password: String) throws {
    let user = try addUser(
      email.lowercased(), password: password, metadata: JSONObject(), at: nowMs)
    _ = confirm(user, at: nowMs)
  }

  /// Gives an account a factor that was verified long before.
  package func addFactor(to email: String) {
    guard let user = state.user(email: email.lowercased()) else { return }
    var factor = addFactor(named: "phone", of: user, at: nowMs)
    factor.isVerified = true
    state.update(factor)
  }

  /// Invites an address to a workspace; gives the invitation's id.
  package func invite(_ email: String, to workspace: String) -> String {
    var invitation = GoTrueState.Invitation()
    invitation.id = Identifier.uuid(entropy)
    invitation.email = email.lowercased()
    invitation.workspace = workspace
    invitation.token = Identifier.uuid(entropy)
    state.invitations.append(invitation)
    return invitation.id
  }

  /// Ends all sessions of a user, as their administrator would.
  package func revokeSessions(of email: String) {
    guard let user = state.user(email: email) else { return }
    state.endSessions { $0.userID == user.id }
  }

  /// Refreshes a session somewhere else, as a second copy of the app would.
  package func rotateElsewhere(_ session: String, times: Int = 1) {
    guard var row = state.session(id: session) else { return }
    for _ in 0..<times {
      if let active = activeToken(of: session) { _ = replace(active, at: nowMs) }
    }
    row.counter = row.counter.map { $0 + Int64(times) }
    row.refreshedMs = nowMs
    state.update(row)
  }
}
