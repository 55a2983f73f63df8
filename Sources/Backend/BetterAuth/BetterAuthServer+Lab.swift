import JSON
import Ports
import Wire

/// What those who test see and do below `/lab`. (Faults stand in front of it.)
extension BetterAuthServer {
  func handleLab(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    switch (call.method, call.path) {
    case ("GET", "/lab/outbox"):
      let wanted = call.query.single("to")
      let mails = state.outbox.filter { $0.to == wanted ?? $0.to }
      return .json(.list(mails.map(\.stored)))
    case ("POST", "/lab/identity-token"):
      let email = try call.text("email")
      do {
        return .json(["id_token": .text(try idToken(for: email))])
      } catch {
        throw .broken
      }
    case ("POST", "/lab/passkeys"):
      return .json(["id": .text(addPasskey(for: try call.text("email")))])
    default:
      throw BetterAuthRefusal(404, "NOT_FOUND", "Not Found")
    }
  }
}
