import Backend
import JSON
import Ports
import Testing

@Suite struct `An account` {
  @Test func `is shown with the members that clients read`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let session = rig.signIn()
    #expect(session["token_type"] == "bearer" && session["expires_in"] == 3600)
    #expect(session["expires_at"] == .integer(rig.server.nowMs / 1000 + 3600))
    let user = try #require(session["user"]?.object)
    let keys = [
      "id", "aud", "role", "email", "phone", "email_confirmed_at", "confirmed_at",
      "last_sign_in_at", "app_metadata", "user_metadata", "identities", "created_at",
      "updated_at", "is_anonymous",
    ]
    for key in keys { #expect(user[key] != nil, "\(key)") }
    #expect(user["factors"] == nil && user["last_sign_in_at"] == "2027-01-15T08:00:00.000Z")
    #expect(Identifier.isUUID(user["id"]?.text ?? ""))
    #expect(rig.get("/user", bearer: session.access).json == session["user"])
    let identity = user["identities"]?.list?.first
    for key in [
      "identity_id", "id", "user_id", "identity_data", "provider", "created_at", "updated_at",
      "email", "last_sign_in_at",
    ] {
      #expect(identity?[key] != nil, "\(key)")
    }
  }

  @Test func `has access tokens of three parts with the claims that clients read`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let claims = try GoTrueRig.claims(rig.signIn().access)
    for key in [
      "sub", "aud", "iat", "exp", "iss", "email", "phone", "app_metadata", "user_metadata",
      "role", "aal", "amr", "session_id", "is_anonymous",
    ] {
      #expect(claims[key] != nil, "\(key)")
    }
    #expect(claims["iss"] == "http://127.0.0.1:9999/auth/v1")
  }

  @Test func `takes no token that another server has signed`() throws {
    let (one, other) = (GoTrueRig(seed: 1), GoTrueRig(seed: 2))
    try one.addAccount()
    try other.addAccount()
    #expect(one.get("/user", bearer: other.signIn().access).code == "bad_jwt")
  }

  @Test func `with a new password ends its other sessions and its codes`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let other = rig.signIn()
    rig.post("/recover", ["email": .text(GoTrueRig.email)])
    let session = rig.verify("recovery", try rig.mail().code)
    #expect(try GoTrueRig.claims(session.access)["amr"]?.list?.first?["method"] == "otp")
    rig.post("/recover", ["email": .text(GoTrueRig.email)])
    let pending = try rig.mail().code
    #expect(rig.update(["password": "another one"], bearer: session.access).status == 200)
    #expect(rig.verify("recovery", pending).code == "otp_expired")
    #expect(rig.refresh(other.refresh).code == "refresh_token_not_found")
    #expect(rig.refresh(session.refresh).status == 200)
    #expect(rig.signIn(password: "another one").status == 200)
  }

  @Test func `that is refused a change keeps all of itself`() throws {
    let rig = GoTrueRig { $0.mailLimit = RateLimit(count: 0, windowMs: 1000, burst: 0) }
    try rig.addAccount()
    let (session, other) = (rig.signIn(), rig.signIn())
    let reply = rig.update(
      ["password": "another one", "email": "new@example.com", "data": ["name": "Eve"]],
      bearer: session.access)
    #expect(reply.status == 429)
    #expect(rig.signIn().status == 200)
    #expect(rig.get("/user", bearer: other.access)["new_email"] == nil)
    #expect(rig.get("/user", bearer: other.access)["user_metadata"] == [:])
  }

  @Test func `merges what it is told about the person`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let access = rig.signIn().access
    _ = rig.update(["data": ["name": "Ada", "age": 36]], bearer: access)
    let reply = rig.update(["data": ["name": nil, "city": "London"]], bearer: access)
    #expect(reply["user_metadata"] == ["age": 36, "city": "London"])
  }

  @Test func `changes its address when both have said yes`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let access = rig.signIn().access
    let pending = rig.update(["email": "new@example.com"], bearer: access)
    #expect(pending["email"] == .text(GoTrueRig.email) && pending["new_email"] == "new@example.com")
    let first = rig.verify("email_change", try rig.mail().code)
    #expect(first["code"] == "200" && first["access_token"] == nil)
    let code = try rig.mail(to: "new@example.com").code
    let second = rig.verify("email_change", code, email: "new@example.com")
    #expect(second["user"]?["email"] == "new@example.com")
    #expect(rig.signIn("new@example.com").status == 200)
  }

  @Test func `changes its address by the new one alone if the server is told so`() throws {
    let rig = GoTrueRig { $0.confirmsBothAddresses = false }
    try rig.addAccount()
    _ = rig.update(["email": "new@example.com"], bearer: rig.signIn().access)
    #expect(rig.server.state.outbox.map(\.to) == ["new@example.com"])
    let code = try rig.mail(to: "new@example.com").code
    #expect(rig.verify("email_change", code, email: "new@example.com").status == 200)
    #expect(rig.signIn("new@example.com").status == 200)
  }

  @Test func `with an old session needs the mailed nonce for a new password`() throws {
    let rig = GoTrueRig {
      $0.requiresReauthentication = true
      $0.accessTokenSeconds = 200_000
    }
    try rig.addAccount()
    let access = rig.signIn().access
    rig.advance(seconds: 86_401)
    #expect(rig.get("/reauthenticate", bearer: access).status == 200)
    let nonce = JSONValue.text(try rig.mail().code)
    let change: JSONValue = ["password": "another one", "nonce": nonce]
    #expect(rig.update(change, bearer: access).status == 200)
  }

  @Test func `after a recovery need not know its password`() throws {
    let rig = GoTrueRig { $0.requiresCurrentPassword = true }
    try rig.addAccount()
    rig.post("/recover", ["email": .text(GoTrueRig.email)])
    let access = rig.verify("recovery", try rig.mail().code).access
    #expect(rig.update(["password": "another one"], bearer: access).status == 200)
  }
}

@Suite struct `What the server tells everybody` {
  @Test func `are its settings, its health, and no keys`() {
    let rig = GoTrueRig {
      $0.providers = ["google"]
      $0.allowsSignUp = false
    }
    #expect(
      rig.get("/settings").json == [
        "external": ["google": true, "email": true], "disable_signup": true,
        "mailer_autoconfirm": false,
      ])
    #expect(rig.get("/health").status == 200)
    #expect(rig.get("/.well-known/jwks.json").json == ["keys": []])
  }

  @Test func `is how often they may ask, each path and each address for itself`() throws {
    let rig = GoTrueRig {
      $0.limitsAddresses = true
      $0.formLimit = RateLimit(count: 30, windowMs: 300_000, burst: 1)
    }
    try rig.addAccount()
    let mail: JSONValue = ["email": .text(GoTrueRig.email), "type": "signup"]
    for path in ["/recover", "/otp", "/resend", "/signup"] {
      #expect(rig.post(path, mail).status != 429, "\(path)")
      #expect(rig.post(path, mail).code == "over_request_rate_limit", "\(path)")
    }
    rig.address = "10.0.0.2"
    #expect(rig.post("/recover", mail).status == 200)
    #expect((0..<30).allSatisfy { _ in rig.signIn().status == 200 })
    #expect(rig.signIn().status == 429, "the burst of sign-ins is thirty")
    rig.server.settings.limitsAddresses = false
    #expect(rig.signIn().status == 200)
  }
}

@Suite struct `Signing out` {
  /// Which of three sessions of one user and of one of another are still there.
  private func left(_ query: String) throws -> [Bool] {
    let rig = GoTrueRig()
    try rig.addAccount()
    try rig.addAccount("eve@example.com")
    let sessions = [rig.signIn(), rig.signIn(), rig.signIn("eve@example.com")]
    let reply = rig.post("/logout\(query)", bearer: sessions[0].access)
    #expect(reply.status == 204 && reply.json == "")
    return sessions.map { rig.refresh($0.refresh).status == 200 }
  }

  // H-11: the default is all devices.
  @Test func `ends what its scope says`() throws {
    #expect(try left("") == [false, false, true])
    #expect(try left("?scope=global") == [false, false, true])
    #expect(try left("?scope=local") == [false, true, true])
    #expect(try left("?scope=others") == [true, false, true])
  }

  @Test func `leaves the access token to those who look at signatures only`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let session = rig.signIn()
    rig.post("/logout", bearer: session.access)
    #expect(rig.get("/user", bearer: session.access).code == "session_not_found")
    #expect(rig.get("api/v1/me", bearer: session.access).status == 200)
    rig.advance(seconds: 3600)
    #expect(rig.get("api/v1/me", bearer: session.access).code == "bad_jwt")
  }
}
