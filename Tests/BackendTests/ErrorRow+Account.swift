import Backend
import Crypto
import JSON
import Ports
import Testing
import Wire

extension ErrorRow {
  static let updates: [ErrorRow] = [
    ErrorRow(.weakPassword, 422, "new password") {
      try $0.addAccount()
      return $0.update(["password": "123"], bearer: $0.signIn().access)
    },
    ErrorRow(.samePassword, 422, "new password") {
      try $0.addAccount()
      return $0.update(["password": .text(GoTrueRig.password)], bearer: $0.signIn().access)
    },
    ErrorRow(.insufficientAAL, 401, "new password at aal1") {
      try $0.addAccount()
      _ = try $0.raise($0.signIn().access)
      return $0.update(["password": "another one"], bearer: $0.signIn().access)
    },
    ErrorRow(.emailExists, 422, "somebody's address") {
      try $0.addAccount()
      try $0.addAccount("eve@example.com")
      return $0.update(["email": "eve@example.com"], bearer: $0.signIn().access)
    },
    ErrorRow(
      .reauthenticationNeeded, 400, "old session",
      settings: {
        $0.requiresReauthentication = true
        $0.accessTokenSeconds = 200_000
      }
    ) {
      try $0.addAccount()
      let access = $0.signIn().access
      $0.advance(seconds: 86_401)
      return $0.update(["password": "another one"], bearer: access)
    },
    ErrorRow(
      .reauthenticationNotValid, 422, "wrong nonce",
      settings: {
        $0.requiresReauthentication = true
        $0.accessTokenSeconds = 200_000
      }
    ) {
      try $0.addAccount()
      let access = $0.signIn().access
      $0.advance(seconds: 86_401)
      return $0.update(["password": "another one", "nonce": "12"], bearer: access)
    },
    ErrorRow(
      .currentPasswordRequired, 400, "none", settings: { $0.requiresCurrentPassword = true }
    ) {
      try $0.addAccount()
      return $0.update(["password": "another one"], bearer: $0.signIn().access)
    },
    ErrorRow(
      .currentPasswordInvalid, 400, "wrong", settings: { $0.requiresCurrentPassword = true }
    ) {
      try $0.addAccount()
      return $0.update(
        ["password": "another one", "current_password": "guess"], bearer: $0.signIn().access)
    },
  ]

  static let factors: [ErrorRow] = [
    ErrorRow(.validationFailed, 400, "no factor of time") {
      try $0.addAccount()
      return $0.post("/factors", ["factor_type": "phone"], bearer: $0.signIn().access)
    },
    ErrorRow(.insufficientAAL, 403, "second factor at aal1") {
      try $0.addAccount()
      _ = try $0.raise($0.signIn().access)
      return $0.enrol($0.signIn().access, name: "second")
    },
    ErrorRow(.insufficientAAL, 422, "removal at aal1") {
      try $0.addAccount()
      let factor = try $0.raise($0.signIn().access).factor
      return $0.send("DELETE", "/factors/\(factor)", bearer: $0.signIn().access)
    },
    ErrorRow(.mfaVerificationFailed, 422, "wrong code") {
      try $0.addAccount()
      let access = $0.signIn().access
      let factor = try #require($0.enrol(access)["id"]?.text)
      let challenge = try #require($0.challenge(factor, bearer: access)["id"]?.text)
      return $0.verifyFactor(factor, challenge: challenge, code: "12", bearer: access)
    },
    ErrorRow(.mfaChallengeExpired, 422, "over 300 seconds") {
      try $0.challengeThenVerify { rig, _ in rig.advance(seconds: 301) }
    },
    // H-16
    ErrorRow(.mfaAddressMismatch, 422, "another network") {
      try $0.challengeThenVerify { rig, _ in rig.address = "10.9.9.9" }
    },
    ErrorRow(.mfaAddressMismatch, 422, "challenge used before") {
      try $0.challengeThenVerify { rig, verify in _ = try verify() }
    },
    ErrorRow(.mfaVerificationRejected, 403, "hook", settings: { $0.factorHook = .rejects }) {
      try $0.challengeThenVerify { _, _ in }
    },
    ErrorRow(.mfaFactorNotFound, 404, "factor") {
      try $0.addAccount()
      return $0.challenge("00000000-0000-4000-8000-000000000000", bearer: $0.signIn().access)
    },
    ErrorRow(.mfaFactorNotFound, 422, "challenge") {
      try $0.addAccount()
      let access = $0.signIn().access
      let factor = try #require($0.enrol(access)["id"]?.text)
      return $0.verifyFactor(factor, challenge: "none", code: "123456", bearer: access)
    },
    // H-19: also of an unverified one.
    ErrorRow(.mfaFactorNameConflict, 422, "same name") {
      try $0.addAccount()
      let access = $0.signIn().access
      _ = $0.enrol(access)
      return $0.enrol(access)
    },
    ErrorRow(.tooManyFactors, 422, "the eleventh") {
      try $0.addAccount()
      let access = $0.signIn().access
      for index in 0..<10 { _ = $0.enrol(access, name: "\(index)") }
      return $0.enrol(access)
    },
  ]

  static let flows: [ErrorRow] = [
    ErrorRow(.flowStateNotFound, 404, "unknown code") { $0.exchange("none", "v") },
    ErrorRow(.flowStateNotFound, 404, "code used before") {
      let code = try $0.oauthCode()
      try #require($0.exchange(code).status == 200)
      return $0.exchange(code)
    },
    // H-26
    ErrorRow(.flowStateExpired, 422, "slow exchange") {
      let code = try $0.oauthCode()
      $0.advance(seconds: 301)
      return $0.exchange(code)
    },
    ErrorRow(.badCodeVerifier, 400, "wrong verifier") {
      $0.exchange(try $0.oauthCode(), String(repeating: "w", count: 43))
    },
    ErrorRow(.validationFailed, 400, "provider off") { $0.get("/authorize?provider=myspace") },
    ErrorRow(.validationFailed, 400, "half a challenge") {
      $0.get("/authorize?provider=google&code_challenge=abc")
    },
    ErrorRow(.providerNotSupported, 400, "sheet of a provider that is off") {
      $0.post("/token?grant_type=id_token", ["provider": "myspace", "id_token": "x"])
    },
  ]

  /// What only a fault can bring about here, where nothing waits.
  static let faults: [ErrorRow] = [
    (ErrorCode.conflict, 409), (.requestTimeout, 504), (.unexpectedFailure, 500),
  ].map { (code: ErrorCode, status: Int) in
    ErrorRow(code, status, "a fault") {
      $0.server.faults.arm(ServerFault(.refuse(status: status, code: nil), on: "/token"))
      return $0.signIn()
    }
  }
}

extension GoTrueRig {
  static let verifier = String(repeating: "v", count: 43)

  func exchange(_ code: String, _ verifier: String = verifier) -> Reply {
    post(
      "/token?grant_type=pkce", ["auth_code": .text(code), "code_verifier": .text(verifier)])
  }

  /// Signs in at the made-up provider; gives what the app's redirect gets.
  func oauthRedirect(_ extra: String = "") throws -> Reply {
    let challenge = Base64URL.encode(try sha256(Array(Self.verifier.utf8)))
    let start = get(
      "/authorize?provider=google&redirect_to=mkkit%3A%2F%2Fauth%2Fcallback"
        + "&code_challenge=\(challenge)&code_challenge_method=s256\(extra)")
    return try follow(try follow(start.location).location)
  }

  func oauthCode() throws -> String {
    let location = try oauthRedirect().location
    return try #require(FormQuery(lenient: location.drop { $0 != "?" }.dropFirst())["code"])
  }

  /// Enrols, challenges, does what is asked, and verifies with the right code.
  func challengeThenVerify(
    _ meddle: (GoTrueRig, () throws -> Reply) throws -> Void
  ) throws -> Reply {
    try addAccount()
    let access = signIn().access
    let factor = enrol(access)
    let id = try #require(factor["id"]?.text)
    let secret = try #require(factor["totp"]?["secret"]?.text)
    let challenge = try #require(challenge(id, bearer: access)["id"]?.text)
    func verify() throws -> Reply {
      verifyFactor(id, challenge: challenge, code: try code(secret: secret), bearer: access)
    }
    try meddle(self, verify)
    return try verify()
  }
}
