import Crypto
import JSON
import Ports
import Wire

/// Sign-ins that leave the app and come back with a code (PKCE, RFC 7636), and where they come
/// back to.
extension GoTrueServer {
  /// Both parts of a challenge or neither.
  func requireChallenge(_ call: GoTrueCall) throws(GoTrueError) {
    try requireChallenge(call.text("code_challenge"), call.text("code_challenge_method"))
  }

  func requireChallenge(_ challenge: String?, _ method: String?) throws(GoTrueError) {
    switch (challenge ?? "", method?.lowercased() ?? "") {
    case ("", ""): return
    case ("", _), (_, ""):
      throw .invalid("PKCE flow requires code_challenge_method and code_challenge")
    case (let challenge, "s256"), (let challenge, "plain"):
      let letters = challenge.utf8.allSatisfy { byte in
        byte.isLetterOrDigit || Array("-._~".utf8).contains(byte)
      }
      guard (43...128).contains(challenge.utf8.count), letters else {
        throw .invalid("code challenge has to be between 43 and 128 characters")
      }
    default: throw .invalid("code_challenge_method must be one of: plain, s256")
    }
  }

  /// Begins a flow by mail, whose person is known.
  func addFlow(
    _ start: GoTrueState.Flow.Start, for user: GoTrueState.User, _ call: GoTrueCall
  ) {
    var flow = makeFlow(
      start, challenge: call.text("code_challenge"),
      method: call.text("code_challenge_method"), call)
    flow.userID = user.id
    state.flows.append(flow)
  }

  func makeFlow(
    _ start: GoTrueState.Flow.Start, challenge: String?, method: String?, _ call: GoTrueCall
  ) -> GoTrueState.Flow {
    var flow = GoTrueState.Flow()
    flow.id = Identifier.uuid(entropy)
    flow.start = start
    flow.challenge = challenge.flatMap { $0.isEmpty ? nil : $0 }
    flow.challengeIsPlain = method?.lowercased() == "plain"
    flow.createdMs = call.nowMs
    flow.code = Identifier.uuid(entropy)
    return flow
  }

  /// The flow whose code a link hands out: the newest of its kind.
  func issueCode(
    _ kind: String, _ user: GoTrueState.User, _ call: GoTrueCall
  ) throws(GoTrueError) -> GoTrueState.Flow {
    let found = state.flows.last { $0.userID == user.id && $0.start.rawValue == kind }
    guard var flow = found else {
      throw .error(404, .flowStateNotFound, "No associated flow state found.")
    }
    flow.issuedMs = call.nowMs
    state.update(flow)
    return flow
  }

  /// `POST /token?grant_type=pkce`.
  func exchange(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    guard let code = call.text("auth_code"), let verifier = call.text("code_verifier"),
      !code.isEmpty, !verifier.isEmpty
    else {
      throw .invalid("invalid request: both auth code and code verifier should be non-empty")
    }
    guard let flow = state.flows.first(where: { $0.code == code }),
      let challenge = flow.challenge, let user = flow.userID.flatMap({ state.user(id: $0) })
    else {
      throw .error(
        404, .flowStateNotFound, "invalid flow state, no valid flow state found")
    }
    guard !isExpired(flow, call) else {
      throw .error(422, .flowStateExpired, "invalid flow state, flow state has expired")
    }
    let digest = try attempt { () throws(CryptoError) in try sha256(Array(verifier.utf8)) }
    guard (flow.challengeIsPlain ? verifier : Base64URL.encode(digest)) == challenge else {
      throw .error(
        400, .badCodeVerifier, "code challenge does not match previously saved code verifier")
    }
    state.flows.removeAll { $0.id == flow.id }
    let method: GoTrueState.Session.Method.Name = flow.start == .oauth ? .oauth : .otp
    var reply = try signIn(user, by: method, call)
    if let provider = flow.provider {
      reply["provider_token"] = .text("\(provider)-access-\(flow.code)")
      reply["provider_refresh_token"] = .text("\(provider)-refresh-\(flow.code)")
    }
    return .json(.object(reply))
  }

  /// Only magic links count from the click.
  func isExpired(_ flow: GoTrueState.Flow, _ call: GoTrueCall) -> Bool {
    let startMs = flow.start == .magiclink ? flow.issuedMs ?? flow.createdMs : flow.createdMs
    return call.nowMs > startMs + settings.flowSeconds * 1000
  }
}

// MARK: - Redirects

extension GoTrueServer {
  /// Where the request wants to come back to, if it may; else the site.
  func redirect(_ call: GoTrueCall) -> String {
    let target = call.query["redirect_to"] ?? ""
    return isAllowed(target) ? target : settings.siteURL
  }

  private func isAllowed(_ target: String) -> Bool {
    let site = settings.siteURL
    if target == site || ["/", "?", "#"].contains(where: { target.hasPrefix(site + $0) }) {
      return true
    }
    return settings.allowedRedirects.contains { pattern in
      pattern.hasSuffix("*") ? target.hasPrefix(pattern.dropLast()) : target == pattern
    }
  }

  /// Tokens in the fragment: the implicit flow.
  func fragment(of reply: JSONObject, type kind: String?) -> String {
    var items = FormQuery()
    for key in ["access_token", "expires_at", "expires_in", "refresh_token", "token_type"] {
      items[key] = reply[key]?.text ?? reply[key]?.integer.map { String($0) }
    }
    items["type"] = kind
    return items.text
  }

  /// An error in the fragment of a URL, and in its query where a code would stand there.
  func errorURL(_ target: String, _ error: GoTrueError, inQuery: Bool) -> String {
    var items = FormQuery(["error": error.oauthWord])
    items["error_code"] = error.code?.rawValue
    items["error_description"] = error.message
    let location = inQuery ? items.added(to: target) : target
    return "\(location)#\(items.text)"
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
