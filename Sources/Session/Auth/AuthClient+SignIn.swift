package import JSON

/// Ways in. They take no turn and do not wait for the initialisation. Arguments are the objects that
/// the calls of auth-js take.
extension AuthClient {
  /// Signs in with `email` and `password`.
  package func signInWithPassword(
    _ credentials: JSONObject
  ) async throws(AuthError) -> AuthSession {
    guard credentials["email"] != nil else { throw .lacksEmail }
    var body = Self.form(credentials["options"])
    for key in ["email", "password"] { body[key] = credentials[key] }
    return try await signIn("/token?grant_type=password", body)
  }

  /// Signs in with the `token` of a `provider`; `nonce` and `access_token` if they belong to it.
  package func signInWithIdToken(
    _ credentials: JSONObject
  ) async throws(AuthError) -> AuthSession {
    var body = Self.form(credentials["options"])
    body["id_token"] = credentials["token"]
    for key in ["provider", "access_token", "nonce"] { body[key] = credentials[key] }
    return try await signIn("/token?grant_type=id_token", body)
  }

  private func signIn(_ target: String, _ body: JSONObject) async throws(AuthError) -> AuthSession {
    let session = try await requestSession(target, body: body)
    try await save(session)
    try await notify(.signedIn, session)
    return session
  }

  package func signInWithOAuth(
    provider: String, redirectTo: String, scopes: String?
  ) async throws(AuthError) -> (url: String, flow: String?) {
    var query = ["provider=\(Self.escaped(provider))"]
    if !redirectTo.isEmpty { query.append("redirect_to=\(Self.escaped(redirectTo))") }
    if let scopes, !scopes.isEmpty { query.append("scopes=\(Self.escaped(scopes))") }
    let flow = try await startFlowIfUsed()
    if let flow {
      query.append("code_challenge=\(flow.challenge)")
      query.append("code_challenge_method=\(flow.method)")
    }
    return ("\(settings.baseURL)/authorize?\(query.joined(separator: "&"))", flow?.id)
  }
}

/// Signing up, and codes that come by mail.
extension AuthClient {
  /// Makes an account of `email` and `password`; the server may want the address confirmed first.
  package func signUp(
    _ credentials: JSONObject
  ) async throws(AuthError) -> (user: AuthUser?, session: AuthSession?) {
    var flow: PKCEFlow?
    do throws(AuthError) {
      guard credentials["email"] != nil else { throw .lacksEmail }
      let options = credentials["options"]
      flow = try await startFlowIfUsed()
      var body = Self.form(options, startsFlow: flow)
      for key in ["email", "password"] { body[key] = credentials[key] }
      body["data"] = options?["data"] ?? [:]
      let reply = try await requestToken(
        Self.target("/signup", redirectTo: options?["emailRedirectTo"]), body: body)
      if let session = reply.session {
        try await save(session)
        try await notify(.signedIn, session)
      }
      return (reply.user, reply.session)
    } catch {
      try await abandon(flow)
      throw error
    }
  }

  /// Asks for a code by mail that signs in.
  package func signInWithOtp(_ credentials: JSONObject) async throws(AuthError) {
    let options = credentials["options"]
    let flow = try await startFlowIfUsed()
    do throws(AuthError) {
      var body = Self.form(options, startsFlow: flow)
      body["email"] = credentials["email"]
      body["data"] = options?["data"] ?? [:]
      body["create_user"] = options?["shouldCreateUser"] ?? true
      _ = try await request(
        "POST", Self.target("/otp", redirectTo: options?["emailRedirectTo"]), body: body)
    } catch {
      try await abandon(flow)
      throw error
    }
  }

  /// Checks a code: `type`, `email` and `token`, or what else the server takes.
  package func verifyOtp(
    _ parameters: JSONObject
  ) async throws(AuthError) -> (user: AuthUser?, session: AuthSession?) {
    let options = parameters["options"]
    var body = parameters
    body["gotrue_meta_security"] = Self.form(options)["gotrue_meta_security"]
    let reply = try await requestToken(
      Self.target("/verify", redirectTo: options?["redirectTo"]), body: body)
    if let session = reply.session {
      try await save(session)
      let isRecovery = parameters["type"] == "recovery"
      if isRecovery, settings.isHardened { try await removeRecoveryFlows() }
      try await notify(isRecovery ? .passwordRecovery : .signedIn, session)
    }
    return reply
  }

  /// Asks for a code of a `type` again.
  package func resend(_ credentials: JSONObject) async throws(AuthError) {
    let options = credentials["options"]
    let startsFlow = settings.behaviour.startsFlowOnResend
    let flow = startsFlow ? try await startFlowIfUsed() : nil
    do throws(AuthError) {
      var body = startsFlow ? Self.form(options, startsFlow: flow) : Self.form(options)
      for key in ["email", "type"] { body[key] = credentials[key] }
      _ = try await request(
        "POST", Self.target("/resend", redirectTo: options?["emailRedirectTo"]), body: body)
    } catch {
      if startsFlow { try await abandon(flow) }
      throw error
    }
  }

  /// Asks for a code by mail that lets the user choose a new password.
  package func resetPasswordForEmail(
    _ email: String, _ options: JSONValue?
  ) async throws(AuthError) {
    let flow = try await startFlowIfUsed(isRecovery: true)
    do throws(AuthError) {
      var body = Self.form(options, startsFlow: flow)
      body["email"] = .text(email)
      _ = try await request(
        "POST", Self.target("/recover", redirectTo: options?["redirectTo"]), body: body)
    } catch {
      try await abandon(flow)
      throw error
    }
  }
}

/// What requests have in common.
extension AuthClient {
  /// What forms send beside their own fields.
  static func form(_ options: JSONValue?) -> JSONObject {
    var security = JSONObject()
    security["captcha_token"] = options?["captchaToken"]
    return ["gotrue_meta_security": .object(security)]
  }

  /// The same of a form that may start a flow.
  static func form(_ options: JSONValue?, startsFlow flow: PKCEFlow?) -> JSONObject {
    var body = form(options)
    body["code_challenge"] = flow.map { .text($0.challenge) } ?? .null
    body["code_challenge_method"] = flow.map { .text($0.method) } ?? .null
    return body
  }

  /// A path, with the address that the user is to come back to.
  static func target(_ path: String, redirectTo: JSONValue?) -> String {
    guard let address = redirectTo?.text, !address.isEmpty else { return path }
    return "\(path)?redirect_to=\(escaped(address, plain: "-._*", blank: "+"))"
  }

  /// `encodeURIComponent`, and as `URLSearchParams` writes a value when it is told so.
  static func escaped(
    _ text: String, plain: String = "-_.!~*'()", blank: String = "%20"
  ) -> String {
    text.utf8.reduce(into: "") { result, byte in
      if byte == UInt8(ascii: " ") {
        result += blank
      } else if isLetterOrDigit(byte) || plain.utf8.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
