import Backend
import JSON
import Ports
import Testing

@Suite struct `The application's own handlers` {
  // R-STATE-11
  @Test func `refuse a user with a factor below aal2, whatever the client believes`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let before = rig.signIn()
    #expect(rig.get("api/v1/me", bearer: before.access).status == 200)
    let (factor, secret, raised) = try rig.raise(before.access)
    let low = rig.signIn()
    for (method, path) in [
      ("GET", "me"), ("POST", "otp/send"), ("GET", "me/invitations"), ("POST", "me/delete"),
      ("POST", "me/invitations/1/accept"),
    ] {
      let reply = rig.send(method, "api/v1/\(path)", bearer: low.access)
      #expect(reply.status == 403 && reply.code == "insufficient_aal", "\(path)")
    }
    #expect(rig.get("api/v1/me", bearer: raised.access).status == 200)
    let again = try rig.raise(low.access, factor: factor, secret: secret)
    #expect(rig.get("api/v1/me", bearer: again.access).status == 200)
    #expect(rig.get("api/v1/me").code == "no_authorization")
  }

  // R-OTP-4
  @Test func `delete the account only with the mailed code`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let access = rig.signIn().access
    #expect(rig.post("api/v1/otp/send", bearer: access).status == 200)
    let code = try rig.mail().code
    #expect(rig.post("api/v1/me/delete", ["otp": "1"], bearer: access).code == "otp_expired")
    #expect(rig.verify("recovery", code).code == "otp_expired", "it is no way in")
    #expect(rig.post("api/v1/me/delete", ["otp": .text(code)], bearer: access).status == 200)
    #expect(rig.get("api/v1/me", bearer: access).code == "user_not_found")
    #expect(rig.signIn().code == "invalid_credentials")
  }

  // R-OTP-6, R-OTP-7
  @Test func `show and take invitations by id, to their own address only`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    try rig.addAccount("eve@example.com")
    let mine = rig.server.invite("Ada@example.com", to: "engines")
    let hers = rig.server.invite("eve@example.com", to: "apples")
    let access = rig.signIn().access
    let list = rig.get("api/v1/me/invitations", bearer: access).json
    #expect(list == [["id": .text(mine), "workspace": "engines"]], "and no token")
    #expect(rig.post("api/v1/me/invitations/\(hers)/accept", bearer: access).status == 404)
    #expect(rig.post("api/v1/me/invitations/\(mine)/accept", bearer: access).status == 200)
    #expect(rig.post("api/v1/me/invitations/\(mine)/accept", bearer: access).status == 404)
    #expect(rig.get("api/v1/me/invitations", bearer: access).json == [])
  }
}
