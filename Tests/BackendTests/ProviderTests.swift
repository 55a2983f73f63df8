import Backend
import Crypto
import JSON
import Ports
import Testing
import Wire

@Suite struct `A sign-in by a browser` {
  // R-CLIENT-5
  @Test func `comes back with a code alone, and the code gives a session`() throws {
    let rig = GoTrueRig()
    let back = try rig.oauthRedirect("&scopes=email%20profile&prompt=consent")
    #expect(back.status == 302)
    #expect(back.location.hasPrefix("mkkit://auth/callback?code="))
    #expect(!back.location.contains("token") && !back.location.contains("#"))
    let session = rig.exchange(try rig.oauthCode())
    #expect(session["user"]?["email"] == "person@example.com")
    #expect(session["user"]?["app_metadata"]?["provider"] == "google")
    #expect(session["provider_token"] != nil && session["provider_refresh_token"] != nil)
    let claims = try GoTrueRig.claims(session.access)
    #expect(claims["amr"]?.list?.first?["method"] == "oauth")
  }

  @Test func `hands to the provider what the app adds`() throws {
    let rig = GoTrueRig()
    let start = rig.get("/authorize?provider=google&scopes=a%20b&prompt=consent")
    let query = FormQuery(lenient: start.location.drop { $0 != "?" }.dropFirst())
    #expect(query["prompt"] == "consent" && query["scope"] == "a b" && query["provider"] == nil)
    #expect(query["redirect_uri"] == "http://127.0.0.1:9999/auth/v1/callback")
    #expect(query["state"] == rig.server.state.flows.first?.id)
  }

  // R-OAUTH-3: the provider's own words, and no code of ours.
  @Test func `that the person refuses comes back with the provider's error`() throws {
    let back = try GoTrueRig().oauthRedirect("&outcome=refusal").location
    let query = "error=access_denied&error_description=The+user+denied+the+request"
    #expect(back == "mkkit://auth/callback?\(query)#\(query)&sb=")
  }

  @Test func `that never ends has no answer`() throws {
    let rig = GoTrueRig { $0.providerOutcome = .never }
    let start = rig.get("/authorize?provider=google")
    #expect(try rig.follow(start.location).delivery == .never)
  }

  // H-26
  @Test func `with a target that is not allowed ends at the site`() throws {
    let rig = GoTrueRig()
    let targets = [
      ("mkkit://auth/callback", "mkkit://auth/callback"), ("mkkit://auth/callback2", nil),
      ("http://localhost:3000/in", "http://localhost:3000/in"),
      ("http://localhost:3000.evil.example", nil), ("http://localhost:30001", nil), ("", nil),
    ]
    for (target, expected) in targets {
      let escaped = FormText.encodeComponent(target)
      let start = rig.get("/authorize?provider=google&redirect_to=\(escaped)")
      let back = try rig.follow(try rig.follow(start.location).location).location
      #expect(back.hasPrefix("\(expected ?? "http://localhost:3000")#access_token="), "\(target)")
    }
  }

  @Test func `whose state is missing, unknown, late or used ends at the site`() throws {
    let rig = GoTrueRig()
    let site = "http://localhost:3000?error=invalid_request"
    for query in ["code=1", "code=1&state=unknown"] {
      let back = rig.get("/callback?\(query)").location
      #expect(back.hasPrefix(site) && back.contains("error_code=bad_oauth_state"), "\(query)")
    }
    let late = rig.get("/authorize?provider=google").location
    rig.advance(seconds: 301)
    let lateBack = try rig.follow(try rig.follow(late).location).location
    #expect(lateBack.hasPrefix(site) && lateBack.contains("error_code=bad_oauth_state"))
    let challenge = "code_challenge=\(GoTrueRig.verifier)&code_challenge_method=plain"
    let start = rig.get("/authorize?provider=google&\(challenge)")
    let callback = try rig.follow(start.location).location
    #expect(try rig.follow(callback).location.contains("?code="))
    #expect(try rig.follow(callback).location.contains("error_code=flow_state_already_used"))
  }

  @Test func `without a code comes back to the app with an error`() throws {
    let rig = GoTrueRig()
    _ = rig.get("/authorize?provider=google&redirect_to=mkkit%3A%2F%2Fauth%2Fcallback")
    let state = try #require(rig.server.state.flows.first?.id)
    let back = rig.get("/callback?state=\(state)").location
    #expect(back.hasPrefix("mkkit://auth/callback?error=invalid_request"))
    #expect(back.contains("error_code=bad_oauth_callback") && back.hasSuffix("&sb="))
    rig.server.settings.providers = []
    let closed = rig.get("/callback?state=\(state)").location
    #expect(closed.contains("error_code=oauth_provider_not_supported"))
  }

  @Test func `may come back as a form`() throws {
    let rig = GoTrueRig()
    let start = rig.get("/authorize?provider=apple")
    let callback = try rig.follow(start.location).location
    var request = HTTPRequest("POST", "/auth/v1/callback")
    request.headers["Content-Type"] = "application/x-www-form-urlencoded"
    request.body = Array(callback.drop { $0 != "?" }.dropFirst().utf8)
    let reply = rig.server.answer(request, from: "browser")
    #expect(reply.response.headers["Location"]?.contains("#access_token=") == true)
  }

  // H-17: with `plain` the verifier itself is in the address.
  @Test func `takes both kinds of challenges, and no other`() throws {
    let rig = GoTrueRig()
    let verifier = GoTrueRig.verifier
    let start = rig.get(
      "/authorize?provider=google&code_challenge=\(verifier)&code_challenge_method=plain")
    let back = try rig.follow(try rig.follow(start.location).location).location
    #expect(rig.exchange(String(try #require(back.split(separator: "=").last))).status == 200)
    for (challenge, method) in [
      (verifier, "s512"), (String(repeating: "v", count: 42), "s256"),
      (String(repeating: "v", count: 129), "plain"), ("\(verifier)!", "s256"), ("", "s256"),
    ] {
      let query = "code_challenge=\(challenge)&code_challenge_method=\(method)"
      let reply = rig.get("/authorize?provider=google&\(query)")
      #expect(reply.code == "validation_failed", "\(query)")
    }
  }

  @Test func `whose verifier is wrong may try again, and once it is right no more`() throws {
    let rig = GoTrueRig()
    let code = try rig.oauthCode()
    #expect(rig.exchange(code, String(repeating: "w", count: 43)).code == "bad_code_verifier")
    #expect(rig.exchange(code).status == 200)
    #expect(rig.exchange(code).code == "flow_state_not_found")
  }

  // H-26, and the same by mail: the link lives longer than its code.
  @Test func `by a mailed link counts from the request, a magic link from the click`() throws {
    for (path, code) in [("/recover", "flow_state_expired"), ("/otp", nil)] as [(String, String?)] {
      let rig = GoTrueRig()
      try rig.addAccount()
      rig.post(
        path,
        [
          "email": .text(GoTrueRig.email), "code_challenge_method": "plain",
          "code_challenge": .text(GoTrueRig.verifier),
        ])
      rig.advance(seconds: 400)
      let location = try rig.follow(try rig.mail().link).location
      #expect(location.hasPrefix("http://localhost:3000?code="))
      let given = try #require(location.split(separator: "=").last)
      #expect(rig.exchange(String(given)).code == code, "\(path)")
    }
  }

  @Test func `finds the same account again, and the one of its address`() throws {
    let rig = GoTrueRig()
    try rig.addAccount("person@example.com")
    let mine = rig.signIn("person@example.com")["user"]?["id"]
    let first = rig.exchange(try rig.oauthCode())
    let second = rig.exchange(try rig.oauthCode())
    #expect(first["user"]?["id"] == mine && second["user"]?["id"] == mine)
    #expect(second["user"]?["app_metadata"]?["providers"] == ["email", "google"])
  }

  @Test func `takes the password from whoever signed up with the address before`() throws {
    let rig = GoTrueRig()
    rig.signUp("person@example.com")
    let session = rig.exchange(try rig.oauthCode())
    #expect(session["user"]?["identities"]?.list?.count == 1)
    #expect(rig.signIn("person@example.com").code == "invalid_credentials")
  }
}

@Suite struct `A sign-in by a sheet of the phone` {
  private func send(
    _ rig: GoTrueRig, claimed: String?, sent: String?, audience: String = "com.makerkit.app"
  ) throws -> GoTrueRig.Reply {
    let token = try rig.server.identityToken(
      "apple", email: "ada@example.com", audience: audience, nonce: claimed)
    var body: JSONObject = JSONObject()
    body["provider"] = "apple"
    body["id_token"] = .text(token)
    body["nonce"] = sent.map(JSONValue.text)
    return rig.post("/token?grant_type=id_token", .object(body))
  }

  // R-APPLE-2
  @Test func `needs the digest in the token and the nonce itself in the request`() throws {
    let nonce = "raw nonce"
    let digest = try sha256(Array(nonce.utf8))
    let hex = Hexadecimal.encode(digest)
    let rows: [(claimed: String?, sent: String?, isRight: Bool)] = [
      (hex, nonce, true), (nil, nil, true), (hex, nil, false), (nil, nonce, false),
      (nonce, hex, false), (nonce, nonce, false), (hex, hex, false),
      (Base64URL.encode(digest), nonce, false), (hex.uppercased(), nonce, false),
    ]
    for row in rows {
      let reply = try send(GoTrueRig(), claimed: row.claimed, sent: row.sent)
      #expect(reply.status == (row.isRight ? 200 : 400), "\(row)")
      guard !row.isRight else { continue }
      #expect(reply["error"] != nil && reply["error_description"] != nil && reply["code"] == nil)
    }
  }

  @Test func `may leave the nonce unchecked if the server is told so`() throws {
    let rig = GoTrueRig { $0.uncheckedNonces = ["apple"] }
    #expect(try send(rig, claimed: "x", sent: nil).status == 200)
  }

  @Test func `is for the apps of the server, signed by the provider, and not too late`() throws {
    let rig = GoTrueRig()
    let foreign = try send(rig, claimed: nil, sent: nil, audience: "com.evil.app")
    #expect(foreign["error_description"] == "Unacceptable audience in id_token")
    let other = try GoTrueRig(seed: 2).server.identityToken(
      "apple", email: "a@b.example", audience: "com.makerkit.app", nonce: nil)
    let bad = rig.post(
      "/token?grant_type=id_token", ["provider": "apple", "id_token": .text(other)])
    #expect(bad["error_description"] == "Bad ID token")
    let late = try rig.server.identityToken(
      "apple", email: "a@b.example", audience: "com.makerkit.app", nonce: nil)
    let body: JSONValue = ["provider": "apple", "id_token": .text(late)]
    #expect(rig.post("/token?grant_type=id_token", body).status == 200)
    let google: JSONValue = ["provider": "google", "id_token": .text(late)]
    #expect(rig.post("/token?grant_type=id_token", google).status == 400)
    rig.advance(seconds: 3600)
    #expect(rig.post("/token?grant_type=id_token", body).status == 400)
  }
}
