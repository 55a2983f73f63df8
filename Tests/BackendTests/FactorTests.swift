import Backend
import JSON
import Ports
import Testing

@Suite struct `A second factor` {
  @Test func `is enrolled with a name, a secret and an address for the authenticator`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let access = rig.signIn().access
    let factor = rig.enrol(access, name: "my phone")
    let secret = try #require(factor["totp"]?["secret"]?.text)
    #expect(factor["type"] == "totp" && factor["friendly_name"] == "my phone")
    #expect(
      factor["totp"]?["uri"]?.text
        == "otpauth://totp/Lab:ada%40example.com?algorithm=SHA1&digits=6&issuer=Lab&period=30"
        + "&secret=\(secret)")
    #expect(factor["totp"]?["qr_code"]?.text?.hasPrefix("<svg") == true)
    let shown = rig.get("/user", bearer: access)["factors"]?.list
    #expect(shown?.first?["status"] == "unverified" && shown?.first?["id"] == factor["id"])
  }

  @Test func `has the site for its issuer if none is named`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let factor = rig.post("/factors", ["factor_type": "totp"], bearer: rig.signIn().access)
    #expect(factor["totp"]?["uri"]?.text?.contains("issuer=localhost%3A3000") == true)
  }

  @Test func `raises the session, and keeps it raised when it is refreshed`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let session = rig.signIn()
    #expect(try GoTrueRig.claims(session.access)["aal"] == "aal1")
    rig.advance(seconds: 5)
    let raised = try rig.raise(session.access).reply
    let claims = try GoTrueRig.claims(raised.access)
    #expect(claims["aal"] == "aal2")
    #expect(claims["session_id"] == (try GoTrueRig.claims(session.access)["session_id"]))
    #expect(claims["amr"]?.list?.compactMap { $0["method"]?.text } == ["totp", "password"])
    #expect(raised["user"]?["factors"]?.list?.first?["status"] == "verified")
    #expect(try GoTrueRig.claims(rig.refresh(raised.refresh).access)["aal"] == "aal2")
  }

  @Test func `ends all sessions below, and removes the factors that nobody verified`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let other = rig.signIn()
    let session = rig.signIn()
    _ = rig.enrol(session.access, name: "forgotten")
    let raised = try rig.raise(session.access).reply
    #expect(rig.get("/user", bearer: other.access).code == "session_not_found")
    #expect(raised["user"]?["factors"]?.list?.count == 1)
    let third = rig.signIn()
    #expect(try GoTrueRig.claims(third.access)["aal"] == "aal1")
    #expect(rig.get("/user", bearer: raised.access).status == 200)
  }

  @Test func `takes the codes of three periods, with a new challenge each`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let (factor, secret, raised) = try rig.raise(rig.signIn().access)
    for (offset, status) in [(-31, 200), (30, 200), (0, 200), (0, 200), (61, 422), (-61, 422)] {
      let challenge = try #require(rig.challenge(factor, bearer: raised.access)["id"]?.text)
      let code = try rig.code(secret: secret, offsetSeconds: Int64(offset))
      let reply = rig.verifyFactor(
        factor, challenge: challenge, code: code, bearer: raised.access)
      // The clock stands at the start of a period.
      #expect(reply.status == (offset == -31 ? 422 : status), "\(offset)")
    }
  }

  @Test func `may be tried again on the same challenge after a wrong code`() throws {
    let rig = GoTrueRig()
    let reply = try rig.challengeThenVerify { rig, _ in
      let state = rig.server.state
      let session = rig.signIn().access
      let factor = try #require(state.factors.first?.id)
      let challenge = try #require(state.challenges.first?.id)
      #expect(
        rig.verifyFactor(factor, challenge: challenge, code: "1", bearer: session).status == 422)
    }
    #expect(reply.status == 200)
  }

  // The twin of the row of the table.
  @Test func `may be verified until its 300 seconds are over`() throws {
    #expect(
      try GoTrueRig().challengeThenVerify { rig, _ in rig.advance(seconds: 300) }.status == 200)
  }

  // H-16: the twin of the row of the table.
  @Test func `must be verified from where it was challenged`() throws {
    #expect(try GoTrueRig().challengeThenVerify { _, _ in }.status == 200)
    let rig = GoTrueRig()
    let moved = try rig.challengeThenVerify { rig, _ in
      rig.server.faults.arm(
        ServerFault(.changeAddress("10.3.3.3"), on: Self.verifyPath(rig), method: "POST"))
    }
    #expect(moved.code == "mfa_ip_address_mismatch")
  }

  private static func verifyPath(_ rig: GoTrueRig) -> String {
    "/factors/\(rig.server.state.factors.first?.id ?? "")/verify"
  }

  @Test func `that a hook rejects signs the user out everywhere`() throws {
    let rig = GoTrueRig { $0.factorHook = .rejects }
    _ = try rig.challengeThenVerify { _, _ in }
    #expect(rig.server.state.sessions.isEmpty)
  }

  // R-MFA-13, R-MFA-14, H-19
  @Test func `that is unverified goes by itself only if it was never challenged`() throws {
    for (isChallenged, count) in [(false, 1), (true, 2)] {
      let rig = GoTrueRig()
      try rig.addAccount()
      let access = rig.signIn().access
      let old = try #require(rig.enrol(access, name: "old")["id"]?.text)
      if isChallenged { _ = rig.challenge(old, bearer: access) }
      rig.advance(seconds: 301)
      _ = rig.enrol(access, name: "new")
      #expect(rig.server.state.factors.count == count)
      let removal = rig.send("DELETE", "/factors/\(old)", bearer: access)
      #expect(removal.status == (isChallenged ? 200 : 404))
    }
  }

  @Test func `lowers the session that removes it`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let (factor, _, raised) = try rig.raise(rig.signIn().access)
    let reply = rig.send("DELETE", "/factors/\(factor)", bearer: raised.access)
    #expect(reply.json == ["id": .text(factor)])
    let session = rig.refresh(raised.refresh)
    #expect(try GoTrueRig.claims(session.access)["aal"] == "aal1")
    #expect(session["user"]?["factors"] == nil)
  }

  @Test func `of somebody else is not there`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    try rig.addAccount("eve@example.com")
    let factor = try #require(rig.enrol(rig.signIn().access)["id"]?.text)
    let eve = rig.signIn("eve@example.com").access
    #expect(rig.challenge(factor, bearer: eve).code == "mfa_factor_not_found")
    #expect(rig.send("DELETE", "/factors/\(factor)", bearer: eve).status == 404)
    #expect(rig.challenge("no-uuid", bearer: eve).status == 404)
  }

  @Test func `is asked for at most so often`() throws {
    let rig = GoTrueRig {
      $0.limitsAddresses = true
      $0.factorLimit = RateLimit(count: 15, windowMs: 60_000, burst: 2)
    }
    try rig.addAccount()
    let access = rig.signIn().access
    let factor = try #require(rig.enrol(access)["id"]?.text)
    let results = (0..<3).map { _ in rig.challenge(factor, bearer: access).status }
    #expect(results == [200, 200, 429])
    rig.advance(seconds: 4)
    #expect(rig.challenge(factor, bearer: access).status == 200)
  }
}
