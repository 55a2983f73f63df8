import JSON

/// An invitation to a workspace. Its token stays at the server, which finds it by id and by the
/// address in the session's token.
package struct Invitation: Equatable, Sendable {
  package var id: String
  package var workspace: String

  init?(_ json: JSONValue) {
    guard let id = json["id"]?.text, let workspace = json["workspace"]?.text else { return nil }
    self.id = id
    self.workspace = workspace
  }
}

/// The invitations for the address of whoever is signed in: no code, and no link.
package final class InvitationsFlow {
  package private(set) var invitations: [Invitation] = []
  package private(set) var attempt = Attempt()
  private let context: FlowContext
  private let api: ApplicationAPI

  package init(_ context: FlowContext, _ api: ApplicationAPI) {
    self.context = context
    self.api = api
  }

  package func load() async {
    attempt.begin()
    do throws(AuthError) {
      let reply = try await api.call("GET", "/me/invitations")
      invitations = (reply.list ?? []).compactMap(Invitation.init)
      attempt.succeed()
    } catch {
      attempt.fail(context.alert(error))
    }
  }

  package func accept(_ invitation: Invitation) async {
    attempt.begin()
    do throws(AuthError) {
      _ = try await api.call("POST", "/me/invitations/\(invitation.id)/accept")
      invitations.removeAll { $0 == invitation }
      attempt.succeed()
    } catch {
      attempt.fail(context.alert(error))
    }
  }
}
