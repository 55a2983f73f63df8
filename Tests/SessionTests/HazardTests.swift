import JSON
import Session
import Testing

/// Each hazard that a client can fix: the faithful client shows it, the hardened one does not.
@Suite struct `The hardened client, beside the faithful one` {
  // H-05
  @Test func `says that the session is over when the store has lost it`() {
    let scene = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(1000), ["op": "store", "key": .text(Scene.key), "value": .null],
        Scene.call("getSession"), Scene.call("getSession"), Scene.advance(1000),
      ])
    #expect(scene.play(.seed).events == ["SIGNED_IN a0", "INITIAL_SESSION a0"])
    let hardened = scene.play(.hardened)
    #expect(hardened.events == ["SIGNED_IN a0", "INITIAL_SESSION a0", "SIGNED_OUT -"])
  }

  // H-08
  @Test func `is not long in the dark when it starts offline with an expired session`() {
    let scene = Scene(
      left: -100,
      script: Scene.start + [
        Scene.call("getSession"), Scene.advance(30_000), Scene.session("POST /token", 1),
        Scene.advance(40_000),
      ])
    let seed = scene.play(.seed)
    #expect(seed.events == ["INITIAL_SESSION -"])
    #expect(seed.times.allSatisfy { $0 > 25_000 })
    let hardened = scene.play(.hardened)
    #expect(hardened.events == ["INITIAL_SESSION a0", "TOKEN_REFRESHED a1"])
    #expect(hardened.times[0] < 10_000 && hardened.times[1] < 60_000, "\(hardened.times)")
    #expect(hardened.error("c1") == "AuthRetryableFetchError")
    #expect(hardened.resultTimes["c1"] ?? .max < 10_000)
    #expect(hardened.refresh == "r1")
  }

  // H-09
  @Test func `tells a subscriber of the session as soon as the store can be read`() {
    let scene = Scene(
      left: 3000,
      script: [["op": "fault", "on": "get", "throw": "keychain locked", "times": 4]] + Scene.start
        + [Scene.advance(20_000)])
    #expect(scene.play(.seed).events.isEmpty)
    #expect(scene.play(.hardened).events == ["INITIAL_SESSION a0"])
  }

  // H-10
  @Test(arguments: ["2.106.2", "2.112.2"])
  func `goes on when a subscriber waits for a call`(sdk: String) {
    let waits: JSONValue = ["TOKEN_REFRESHED": ["call": "refreshSession", "once": true]]
    let scene = Scene(
      sdk: sdk, left: 3000,
      script: [["op": "create"], ["op": "subscribe", "id": "s1", "on": waits]] + [
        Scene.session("POST /token", 1), Scene.session("POST /token", 2), Scene.advance(1000),
        Scene.call("refreshSession"), Scene.advance(30_000),
      ])
    #expect(scene.play(.seed).pending == ["c1", "c2"])
    let hardened = scene.play(.hardened)
    #expect(hardened.pending == [])
    #expect(hardened.refresh == "r2")
  }

  // H-11
  @Test(arguments: [-100, 3000]) func `signs out without a network`(left: Int) {
    var scene = Scene(
      left: left,
      script: Scene.start + [Scene.advance(5000), Scene.call("signOut"), Scene.advance(70_000)])
    scene.sdk = left < 0 ? "2.112.2" : "2.106.2"
    let seed = scene.play(.seed)
    #expect(seed.refresh == "r0")
    #expect(!seed.events.contains("SIGNED_OUT -"))
    let hardened = scene.play(.hardened)
    #expect(hardened.stored == [:])
    #expect(hardened.events.filter { $0 == "SIGNED_OUT -" }.count == 1)
  }

  // H-11
  @Test func `leaves no session behind when the store does not let go of it`() {
    let scene = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(1000), ["op": "fault", "on": "remove", "throw": "remove failed"],
        ["for": "POST /logout", "op": "reply", "status": 204], Scene.call("signOut"),
        Scene.advance(5000),
      ])
    let seed = scene.play(.seed)
    #expect(seed.refresh == "r0")
    #expect(!seed.events.contains("SIGNED_OUT -"))
    let hardened = scene.play(.hardened)
    #expect(hardened.refresh == nil)
    #expect(hardened.events.contains("SIGNED_OUT -"))
    #expect(hardened.error("c1") == "Error", "the failure is told")
  }

  // H-11
  @Test func `signs this device out, not all of them`() {
    let scene = Scene(
      left: 3000,
      script: Scene.start + [Scene.advance(10), Scene.call("signOut"), Scene.advance(1000)])
    #expect(scene.play(.seed).requests.map { $0["path"] } == ["/logout?scope=global"])
    #expect(scene.play(.hardened).requests.map { $0["path"] } == ["/logout?scope=local"])
  }

  // H-09, H-11
  @Test func `settles all calls when the store fails as a session ends`() {
    let scene = Scene(
      left: -100,
      script: [
        ["op": "fault", "on": "remove", "throw": "remove failed"],
        Scene.reply("POST /token", status: 400, ["code": "refresh_token_not_found"]),
        Scene.reply("POST /token", status: 400, ["code": "refresh_token_not_found"]),
      ] + Scene.start + [Scene.call("getSession"), Scene.call("getSession"), Scene.advance(60_000)])
    #expect(scene.play(.seed).pending == ["c1", "c2"])
    #expect(scene.play(.hardened).pending == [])
  }

  // G10
  @Test func `asks for tokens once an hour on a device whose clock is ahead`() {
    let calls = (1...3).flatMap { _ in [Scene.call("getSession"), Scene.advance(1000)] }
    let scene = Scene(
      left: 3000,
      script: (1...3).map { Scene.session("POST /token", $0) } + Scene.start
        + [Scene.advance(500), ["op": "skew", "ms": 3_600_000]] + calls)
    #expect(scene.play(.seed).refresh == "r3")
    #expect(scene.play(.hardened).refresh == "r1")
  }

  // H-24
  @Test(arguments: [("2.112.2", 429), ("2.106.2", 429), ("2.106.2", 500), ("2.112.2", 409)])
  func `keeps the session when the server has not refused it`(sdk: String, status: Int) {
    let scene = Scene(
      sdk: sdk, left: -100,
      script: [Scene.reply("POST /token", status: status, ["code": "over_request_rate_limit"])]
        + Scene.start + [Scene.advance(4000)])
    #expect(scene.play(.seed).events.contains("SIGNED_OUT -"))
    let hardened = scene.play(.hardened)
    #expect(hardened.refresh == "r0")
    #expect(!hardened.events.contains("SIGNED_OUT -"))
  }

  @Test func `ends the session when the server has refused it, as the faithful one does`() {
    let scene = Scene(
      left: -100,
      script: [Scene.reply("POST /token", status: 400, ["code": "refresh_token_not_found"])]
        + Scene.start + [Scene.advance(4000)])
    for profile in [AuthSettings.Profile.seed, .hardened] {
      let end = scene.play(profile)
      #expect(end.stored == [:])
      #expect(end.events == ["SIGNED_OUT -", "INITIAL_SESSION -"])
    }
  }

  // H-25, H-02
  @Test func `writes no old token back when the user changes beside a refresh`() {
    let scene = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(1000),
        [
          "body": Scene.user(["n": 1]), "delayMs": 500, "for": "PUT /user", "op": "reply",
        ], Scene.session("POST /token", 1), Scene.call("updateUser", ["data": ["n": 1]]),
        Scene.call("refreshSession"), Scene.advance(5000),
      ])
    #expect(scene.play(.seed).refresh == "r0")
    let hardened = scene.play(.hardened)
    #expect(hardened.refresh == "r1")
    let data = hardened.stored[Scene.key]?["session"]?["user"]?["user_metadata"]
    #expect(data == ["n": 1])
    #expect(hardened.events.last == "USER_UPDATED a1")
  }

  // H-28
  @Test func `has the raised session when the reply to a verification is lost`() {
    let scene = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(1000), Scene.reply("POST /factors/f/challenge", ["id": "ch"]),
        ["for": "POST /factors/f/verify", "network": true, "op": "reply"],
        Scene.session("POST /token", 2),
        Scene.call("mfa.challengeAndVerify", ["code": "123456", "factorId": "f"]),
        Scene.advance(5000),
      ])
    let seed = scene.play(.seed)
    #expect(seed.error("c1") == "AuthRetryableFetchError" && seed.refresh == "r0")
    let hardened = scene.play(.hardened)
    #expect(hardened.error("c1") == nil && hardened.refresh == "r2")
    #expect(hardened.events.contains("MFA_CHALLENGE_VERIFIED a2"))
  }

  // H-16
  @Test func `verifies again when the network has changed after the challenge`() {
    let scene = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(1000), Scene.reply("POST /factors/f/challenge", ["id": "ch1"]),
        Scene.reply("POST /factors/f/verify", status: 422, ["code": "mfa_ip_address_mismatch"]),
        Scene.reply("POST /factors/f/challenge", ["id": "ch2"]),
        Scene.session("POST /factors/f/verify", 2), Scene.call("appVerify", "f", "123456"),
        Scene.advance(5000),
      ])
    let seed = scene.play(.seed)
    #expect(seed.results["c1"]?["error"]?["code"] == "mfa_ip_address_mismatch")
    #expect(seed.requests.count == 2 && seed.refresh == "r0")
    let hardened = scene.play(.hardened)
    #expect(hardened.error("c1") == nil)
    #expect(hardened.requests.count == 4 && hardened.refresh == "r2")
  }

  @Test func `gives up a request that never ends`() {
    let scene = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(1000), ["for": "GET /user", "hang": true, "op": "reply"],
        Scene.call("getUser"), Scene.advance(90_000),
      ])
    #expect(scene.play(.seed).pending == ["c1"])
    #expect(scene.play(.hardened).error("c1") == "AuthRetryableFetchError")
  }
}

@Suite struct `Flows of the hardened client, beside the faithful one` {
  static let startOAuth = Scene.call("signInWithOAuth", ["provider": "google"])

  // H-17
  @Test func `have a hashed challenge where the platform has no hash`() throws {
    var scene = Scene(script: Scene.start + [Self.startOAuth, Scene.advance(100)])
    scene.options["webCrypto"] = false
    func url(_ profile: AuthSettings.Profile) throws -> String {
      try #require(scene.play(profile).results["c1"]?["data"]?["url"]?.text)
    }
    #expect(try url(.seed).hasSuffix("code_challenge_method=plain"))
    #expect(try url(.hardened).hasSuffix("code_challenge_method=s256"))
    scene.options["webCrypto"] = true
    #expect(try url(.seed).hasSuffix("code_challenge_method=s256"))
  }

  // H-17
  @Test func `have no hash on a phone, unless the app says that it adds one`() {
    var settings = AppSettings()
    #expect(!settings.client(.seed).hasWebCrypto)
    settings.hasWebCrypto = true
    #expect(settings.client(.seed).hasWebCrypto)
  }

  // H-17
  @Test func `do not take the verifier of another flow`() {
    let scene = Scene(
      script: Scene.start + [
        Self.startOAuth, Scene.advance(100), Scene.reply("POST /recover", [:]),
        Scene.call("resetPasswordForEmail", "ada@example.test"), Scene.advance(100),
        Scene.session("POST /token", 1), Scene.call("exchangeCodeForSession", "code"),
        Scene.advance(1000),
      ])
    let seed = scene.play(.seed)
    #expect(seed.events.last == "PASSWORD_RECOVERY a1", "the code belongs to the other flow")
    let hardened = scene.play(.hardened)
    #expect(hardened.error("c3") == "AuthPKCECodeVerifierMissingError")
    #expect(hardened.requests.allSatisfy { $0["path"]?.text?.hasPrefix("/token") == false })
    #expect(hardened.stored.object?.members.count == 4, "both can still end")
  }

  // H-17
  @Test func `can end after a failure of the network`() {
    let exchange = Scene.call("exchangeCodeForSession", "code")
    let scene = Scene(
      script: Scene.start + [
        Self.startOAuth, Scene.advance(100), exchange, Scene.advance(1000),
        Scene.session("POST /token", 1), exchange, Scene.advance(1000),
      ])
    #expect(scene.play(.seed).error("c3") == "AuthPKCECodeVerifierMissingError")
    #expect(scene.play(.hardened).events.last == "SIGNED_IN a1")
  }

  // H-17
  @Test func `keep their verifier when a session is saved`() {
    let scene = Scene(
      sdk: "2.106.2", left: 3000,
      script: Scene.start + [
        Scene.advance(100), Self.startOAuth, Scene.advance(100), Scene.session("POST /token", 1),
        Scene.call("refreshSession"), Scene.advance(1000), Scene.session("POST /token", 2),
        Scene.call("exchangeCodeForSession", "code"), Scene.advance(1000),
      ])
    #expect(scene.play(.seed).error("c3") == "AuthPKCECodeVerifierMissingError")
    #expect(scene.play(.hardened).events.last == "SIGNED_IN a2")
  }

  // H-17
  @Test func `leave nothing behind, whether a link or a typed code ends them`() {
    let ends = [
      [Scene.session("POST /token", 1), Scene.call("exchangeCodeForSession", "code")],
      [
        Scene.session("POST /verify", 1),
        Scene.call("verifyOtp", ["email": "ada@example.test", "token": "1", "type": "recovery"]),
      ],
    ]
    for end in ends {
      let scene = Scene(
        script: Scene.start + [
          Scene.advance(100), Scene.reply("POST /recover", [:]),
          Scene.call("resetPasswordForEmail", "ada@example.test"), Scene.advance(100),
        ] + end + [Scene.advance(1000)])
      #expect(scene.play(.seed).stored.object?.members.count ?? 0 > 1)
      let hardened = scene.play(.hardened)
      #expect(hardened.stored.object?.members.map(\.key) == [Scene.key])
      #expect(hardened.events.last == "PASSWORD_RECOVERY a1")
    }
  }
}
