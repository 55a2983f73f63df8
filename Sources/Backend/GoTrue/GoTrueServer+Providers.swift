import Crypto
import JSON
import Ports
import Wire

/// OAuth through a browser: `/authorize`, the provider's page, `/callback`.
extension GoTrueServer {
  /// `GET /authorize`.
  func authorize(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let provider = call.query["provider"] ?? ""
    guard settings.providers.contains(provider) else {
      throw .invalid("Unsupported provider: provider is not enabled")
    }
    let (challenge, method) = (
      call.query["code_challenge"], call.query["code_challenge_method"]
    )
    try requireChallenge(challenge, method)
    var flow = makeFlow(.oauth, challenge: challenge, method: method, call)
    flow.provider = provider
    flow.redirect = redirect(call)
    state.flows.append(flow)
    var query = FormQuery()
    // What the app adds goes on to the provider.
    for item in call.query.pairs where !Self.ownParameters.contains(item.name) {
      query[item.name] = item.value
    }
    query["client_id"] = provider
    query["redirect_uri"] = "\(externalURL(call))/auth/v1/callback"
    query["response_type"] = "code"
    query["scope"] = call.query["scopes"] ?? "email"
    query["state"] = flow.id
    let page = "\(externalURL(call))/fake-provider/authorize"
    return .redirect(query.added(to: page), status: 302)
  }

  private static let ownParameters = [
    "provider", "redirect_to", "scopes", "code_challenge", "code_challenge_method",
  ]

  /// The page where the person signs in; it answers at once, as a browser that is signed in there.
  func handleProvider(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    guard call.route == "GET /authorize" else { throw .unknownRoute }
    let outcome = call.query["outcome"].flatMap { ProviderOutcome(rawValue: $0) }
    let target = call.query["redirect_uri"] ?? settings.siteURL
    var items = FormQuery()
    switch outcome ?? settings.providerOutcome {
    case .success:
      var grant = GoTrueState.ProviderGrant()
      grant.code = Identifier.uuid(entropy)
      grant.email = (call.query["email"] ?? settings.providerEmail).lowercased()
      state.providerGrants.append(grant)
      items["code"] = grant.code
    case .refusal:
      items["error"] = "access_denied"
      items["error_description"] = "The user denied the request"
    case .failure:
      items["error"] = "server_error"
      items["error_description"] = "The provider could not sign the user in"
    case .never:
      return .silence
    }
    items["state"] = call.query["state"]
    return .redirect(items.added(to: target), status: 302)
  }

  /// `GET` and `POST /callback`.
  func callback(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let flow: GoTrueState.Flow
    do throws(GoTrueError) {
      flow = try findFlow(parameter("state", call), call)
    } catch {
      // Nobody knows which app it was.
      return redirect(settings.siteURL, refusal: items(for: error))
    }
    let target = flow.redirect ?? settings.siteURL
    if let error = parameter("error", call) {
      var items = FormQuery(["error": error])
      items["error_description"] = parameter("error_description", call)
      return redirect(target, refusal: items)
    }
    do throws(GoTrueError) {
      return .redirect(try finish(flow, target, call), status: 302)
    } catch {
      return redirect(target, refusal: items(for: error))
    }
  }

  /// Some providers post a form.
  private func parameter(_ name: String, _ call: GoTrueCall) -> String? {
    call.query[name] ?? call.text(name)
  }

  private func findFlow(
    _ state: String?, _ call: GoTrueCall
  ) throws(GoTrueError) -> GoTrueState.Flow {
    guard let state, !state.isEmpty else {
      throw .error(400, .badOAuthState, "OAuth state parameter missing")
    }
    guard let flow = self.state.flows.first(where: { $0.id == state }) else {
      throw .error(400, .badOAuthState, "OAuth state not found or expired")
    }
    guard flow.userID == nil else {
      throw .error(400, .flowStateAlreadyUsed, "OAuth state has already been used")
    }
    guard !isExpired(flow, call) else {
      throw .error(400, .badOAuthState, "OAuth state has expired")
    }
    guard settings.providers.contains(flow.provider ?? "") else {
      throw .error(400, .providerNotSupported, "Unsupported provider: provider is not enabled")
    }
    return flow
  }

  private func finish(
    _ flow: GoTrueState.Flow, _ target: String, _ call: GoTrueCall
  ) throws(GoTrueError) -> String {
    guard let code = parameter("code", call), !code.isEmpty else {
      throw .error(
        400, .badOAuthCallback, "OAuth callback with missing authorization code missing")
    }
    guard let grant = state.providerGrants.first(where: { $0.code == code }) else {
      throw .error(500, .unexpectedFailure, "Unable to exchange external code")
    }
    state.providerGrants.removeAll { $0.code == code }
    let provider = flow.provider ?? ""
    let subject = try subject(of: grant.email)
    let user = try account(provider, subject: subject, email: grant.email, call)
    guard flow.challenge != nil else {
      state.flows.removeAll { $0.id == flow.id }
      let reply = try signIn(user, by: .oauth, call)
      return "\(target)#\(fragment(of: reply, type: nil))"
    }
    var flow = flow
    flow.userID = user.id
    flow.issuedMs = call.nowMs
    state.update(flow)
    return FormQuery(["code": flow.code]).added(to: target)
  }

  private func items(for error: GoTrueError) -> FormQuery {
    var items = FormQuery(["error": error.oauthWord])
    items["error_code"] = error.code?.rawValue
    items["error_description"] = error.message
    return items
  }

  /// The error in the query, again in the fragment, and a marker that says whose it is.
  private func redirect(_ target: String, refusal items: FormQuery) -> GoTrueAnswer {
    .redirect("\(items.added(to: target))#\(items.text)&sb=", status: 302)
  }
}

// MARK: - Accounts of providers

extension GoTrueServer {
  /// `POST /token?grant_type=id_token`: the native sheets of Apple and Google.
  func signInWithIdentityToken(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let provider = call.text("provider") ?? ""
    guard let token = call.text("id_token"), !token.isEmpty else {
      throw .oauth(error: "invalid request", description: "id_token required")
    }
    guard settings.providers.contains(provider) else {
      throw .error(
        400, .providerNotSupported, "Provider \"\(provider)\" is not enabled")
    }
    let claims = try identity(in: token, of: provider, call)
    guard settings.clientIDs.contains(claims["aud"]?.text ?? "") else {
      throw .oauth(
        error: "invalid request", description: "Unacceptable audience in id_token")
    }
    if !settings.uncheckedNonces.contains(provider) {
      try requireNonce(call.text("nonce"), claimed: claims["nonce"]?.text)
    }
    let email = claims["email"]?.text?.lowercased() ?? ""
    let user = try account(provider, subject: claims["sub"]?.text ?? "", email: email, call)
    return .json(.object(try signIn(user, by: .oauth, call)))
  }

  private func identity(
    in token: String, of provider: String, _ call: GoTrueCall
  ) throws(GoTrueError) -> JSONObject {
    let bad = GoTrueError.oauth(error: "invalid request", description: "Bad ID token")
    let key = issuerKey
    let read = try attempt { () throws(CryptoError) in
      try SignedToken.claims(of: token, key: key)
    }
    guard let claims = read, claims["iss"]?.text == Self.issuer(provider),
      let expires = claims["exp"]?.integer, expires > call.nowSeconds
    else { throw bad }
    return claims
  }

  /// The token holds the digest, in hexadecimal, of what the app says to the server.
  private func requireNonce(
    _ nonce: String?, claimed: String?
  ) throws(GoTrueError) {
    switch (nonce ?? "", claimed ?? "") {
    case ("", ""): return
    case ("", _), (_, ""):
      throw .oauth(
        error: "invalid request",
        description: "Passed nonce and nonce in id_token should either both exist or not.")
    case (let nonce, let claimed):
      let digest = try attempt { () throws(CryptoError) in try sha256(Array(nonce.utf8)) }
      guard Hexadecimal.encode(digest) == claimed else {
        throw .oauth(error: "invalid nonce", description: "Nonces mismatch")
      }
    }
  }

  /// The account of an identity: its own, the one of its address, or a new one.
  private func account(
    _ provider: String, subject: String, email: String, _ call: GoTrueCall
  ) throws(GoTrueError) -> GoTrueState.User {
    let known = state.identities.first { $0.provider == provider && $0.subject == subject }
    if let user = known.flatMap({ state.user(id: $0.userID) }) {
      if isBanned(user, call) { throw .error(403, .userBanned, "User is banned") }
      return user
    }
    if var user = state.user(email: email) {
      if isBanned(user, call) { throw .error(403, .userBanned, "User is banned") }
      if user.confirmedMs == nil {
        // Whoever signed up with the address has not shown that it is theirs.
        user.password = nil
        state.identities.removeAll { $0.userID == user.id }
        user = confirm(user, at: call.nowMs)
      }
      addIdentity(user, provider: provider, subject: subject, at: call.nowMs)
      return user
    }
    guard settings.allowsSignUp else {
      throw .error(422, .signupDisabled, "Signups not allowed for this instance")
    }
    let added = try addUser(email, password: nil, metadata: JSONObject(), at: call.nowMs)
    state.identities.removeAll { $0.userID == added.id }
    let user = confirm(added, at: call.nowMs)
    addIdentity(user, provider: provider, subject: subject, at: call.nowMs)
    return user
  }

  private func subject(of email: String) throws(GoTrueError) -> String {
    let digest = try attempt { () throws(CryptoError) in try sha256(Array(email.utf8)) }
    return Hexadecimal.encode(Array(digest.prefix(11)))
  }

  private static func issuer(_ provider: String) -> String { "https://\(provider).example" }

  private var issuerKey: [UInt8] { Array("issuer \(state.signingKey)".utf8) }

  /// An identity token as the made-up provider signs it, for the sheet of a phone.
  ///
  /// - Parameters:
  ///   - provider: Whose sheet.
  ///   - email: The person; the same address is the same person.
  ///   - audience: The app.
  ///   - nonce: What the sheet was given; it is not digested here.
  /// - Returns: A token that expires after an hour by the server's clock.
  /// - Throws: `CryptoError`.
  package func identityToken(
    _ provider: String, email: String, audience: String, nonce: String?
  ) throws -> String {
    var claims = JSONObject()
    claims["iss"] = .text(Self.issuer(provider))
    claims["aud"] = .text(audience)
    claims["sub"] = .text(try subject(of: email.lowercased()))
    claims["email"] = .text(email)
    claims["nonce"] = nonce.map(JSONValue.text)
    claims["iat"] = .integer(nowMs / 1000)
    claims["exp"] = .integer(nowMs / 1000 + 3600)
    return try SignedToken.make(claims, key: issuerKey)
  }
}
