import JSON
import Session
import Testing

@Suite struct `A client of either profile` {
  static let profiles = [AuthSettings.Profile.seed, .hardened]

  // R-CLIENT-2
  @Test(arguments: profiles) func `refreshes by itself and uses PKCE unless told otherwise`(
    profile: AuthSettings.Profile
  ) {
    let settings = AuthSettings(
      baseURL: "https://lab.example.test/auth/v1", anonKey: "k", storageKey: "s", profile: profile)
    #expect(settings.refreshesAutomatically)
    #expect(settings.flowType == .pkce)
  }

  // R-CLIENT-3
  @Test(arguments: profiles) func `has its session again after its process was killed`(
    profile: AuthSettings.Profile
  ) {
    let restart: [JSONValue] = [
      Scene.advance(5000), ["op": "kill"], ["op": "create"], ["op": "subscribe", "id": "s2"],
      Scene.advance(5000),
    ]
    let end = Scene(left: 3000, script: Scene.start + restart).play(profile)
    #expect(end.events.suffix(2) == ["SIGNED_IN a0", "INITIAL_SESSION a0"])
    #expect(end.requests.isEmpty)
    let without = Scene(script: Scene.start + restart).play(profile)
    #expect(without.events == ["INITIAL_SESSION -", "INITIAL_SESSION -"])
  }

  // R-LIFE-1, R-LIFE-2
  @Test(arguments: profiles) func `refreshes in the foreground, and not in the background`(
    profile: AuthSettings.Profile
  ) {
    let play = { (step: JSONValue) in
      let steps = [Scene.advance(1000), step, Scene.session("POST /token", 1)]
      return Scene(left: 600, script: Scene.start + steps + [Scene.advance(3_600_000)])
        .play(profile)
    }
    #expect(play(["op": "background"]).requests.isEmpty)
    #expect(play(["op": "foreground"]).requests.map { $0["path"] } == [Self.refresh])
  }

  private static let refresh: JSONValue? = "/token?grant_type=refresh_token"

  // R-LIFE-3
  @Test(arguments: profiles) func `refreshes a stale session once when it comes back`(
    profile: AuthSettings.Profile
  ) {
    let end = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(1000), ["op": "background"], Scene.advance(7_200_000),
        Scene.session("POST /token", 1), ["op": "foreground"], Scene.advance(10_000),
      ]
    ).play(profile)
    #expect(end.requests.map { $0["path"] } == [Self.refresh])
    #expect(end.events.last == "TOKEN_REFRESHED a1")
  }

  // R-LIFE-4
  @Test(arguments: profiles) func `has one ticker however often it is started`(
    profile: AuthSettings.Profile
  ) {
    let reads = { (steps: [JSONValue]) in
      Scene(
        left: 3000,
        script: Scene.start + [Scene.advance(40_000)] + steps
          + [Scene.advance(310_000)]
      ).play(profile).reads
    }
    let once = reads([["op": "foreground"]])
    // Each start has a first tick of its own, unless it is stopped before it.
    #expect(reads([["op": "foreground"], ["op": "foreground"]]) == once)
    #expect(reads([["op": "background"]]) < once - 8)
  }

  // R-STATE-6, R-SIGNUP-6, R-REC-2, R-REC-3
  @Test(arguments: profiles) func `has a session after each way in, and says which it was`(
    profile: AuthSettings.Profile
  ) {
    let mail: JSONObject = ["email": "ada@example.test"]
    func with(_ fields: JSONObject) -> JSONValue {
      .object(JSONObject(mail.members + fields.members))
    }
    let ways: [(call: JSONValue, path: String, event: String)] = [
      (Scene.call("signInWithPassword", with(["password": "x"])), "/token", "SIGNED_IN a1"),
      (Scene.call("signUp", with(["password": "x"])), "/signup", "SIGNED_IN a1"),
      (
        Scene.call("verifyOtp", with(["token": "1", "type": "signup"])), "/verify", "SIGNED_IN a1"
      ),
      (
        Scene.call("verifyOtp", with(["token": "1", "type": "recovery"])), "/verify",
        "PASSWORD_RECOVERY a1"
      ),
      (
        Scene.call("signInWithIdToken", ["provider": "apple", "token": "t"]), "/token",
        "SIGNED_IN a1"
      ),
      (Scene.call("exchangeCodeForSession", "code"), "/token", "SIGNED_IN a1"),
    ]
    for way in ways {
      let end = Scene(
        script: Scene.start + [
          Scene.advance(100), Scene.call("signInWithOAuth", ["provider": "google"]),
          Scene.advance(100), Scene.session("POST \(way.path)", 1), way.call, Scene.advance(1000),
        ]
      ).play(profile)
      #expect(end.events == ["INITIAL_SESSION -", way.event], "\(way.call)")
      #expect(end.refresh == "r1")
    }
  }

  // R-MFA-6, R-MFA-10
  @Test(arguments: profiles) func `challenges and verifies in one call`(
    profile: AuthSettings.Profile
  ) {
    let end = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(1000), Scene.reply("POST /factors/f/challenge", ["id": "ch"]),
        Scene.session("POST /factors/f/verify", 2), Scene.call("appVerify", "f", "123456"),
        Scene.advance(1000), Scene.reply("POST /factors", ["id": "new"]),
        Scene.call(
          "mfa.enroll", ["factorType": "totp", "friendlyName": "Phone", "issuer": "Lab"]),
        Scene.advance(1000),
      ]
    ).play(profile)
    #expect(
      end.requests.map { $0["path"]?.text } == [
        "/factors/f/challenge", "/factors/f/verify", "/factors",
      ])
    #expect(end.events.last == "MFA_CHALLENGE_VERIFIED a2")
    let enrolled = end.requests.last?["body"]
    #expect(
      enrolled == ["factor_type": "totp", "friendly_name": "Phone", "issuer": "Lab"])
  }

  // R-CLIENT-5
  @Test(arguments: profiles) func `puts no token and no verifier into the address of a provider`(
    profile: AuthSettings.Profile
  ) throws {
    let end = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(100), Scene.call("signInWithOAuth", ["provider": "google"]),
        Scene.advance(100),
      ]
    ).play(profile)
    let url = try #require(end.results["c1"]?["data"]?["url"]?.text)
    let verifier = try #require(end.stored["\(Scene.key)-code-verifier"]?["json"]?.text)
    #expect(!url.contains(verifier) && !url.contains("r0") && url.contains("code_challenge="))
  }
}
