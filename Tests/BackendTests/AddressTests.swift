import Backend
import JSON
import Testing

/// The form that GoTrue asks for, `checkmail.ValidateFormat`.
@Suite struct `An address of a sign-up` {
  @Test(arguments: [
    "a@b", "ada@example.com", "a.b+c@sub.example.co", ".a.@b.c", "!#$%&'*+/=?^_`{|}~-@x.y", "1@2.3",
    "a@\(String(repeating: "b", count: 63)).com",
  ]) func `is taken`(address: String) {
    #expect(GoTrueRig().signUp(address).status == 200)
  }

  @Test(arguments: [
    "ada", "ada@", "@example.com", "a@b@c", "a b@c.d", "a@b c.d", "a@-b.c", "a@b-.c", "a@b..c",
    "a@.b", "a@b.", "a@b_c.d", "\u{E9}@b.c", "a@b\u{E9}.c", "a@[127.0.0.1]", "a\n@b.c", "\"a\"@b.c",
    "a@\(String(repeating: "b", count: 64)).com",
  ]) func `is refused for its form`(address: String) {
    let rig = GoTrueRig()
    for reply in [
      rig.signUp(address), rig.post("/otp", ["email": .text(address)]),
      rig.post("/recover", ["email": .text(address)]),
    ] {
      #expect(reply.status == 400 && reply.code == "validation_failed")
      #expect(reply["message"] == "Unable to validate email address: invalid format")
    }
    #expect(rig.server.accounts.isEmpty && rig.server.state.outbox.isEmpty)
  }

  @Test func `is refused for its length`() {
    let address = String(repeating: "a", count: 250) + "@b.com"
    let reply = GoTrueRig().signUp(address)
    #expect(reply.code == "validation_failed")
    #expect(reply["message"] == "An email address is too long")
    #expect(GoTrueRig().signUp(String(address.dropFirst())).status == 200)
  }
}
