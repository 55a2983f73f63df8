import Crypto
import JSON
import Ports
import Wire

/// The hand-off from the web page to the app. It is the kit's own; Better Auth has none.
///
/// Better Auth looks at no origin of a GET, so these endpoints look at the address themselves, with the
/// list that the environment gives at that moment, and before anything that could move a cookie.
extension BetterAuthServer {
  /// How long a code waits to be redeemed.
  private static let codeMs: Int64 = 60_000

  /// The page of the web app that offers the ways to sign in.
  func page(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    _ = try callback(call)
    let passkey = call.environment.isPasskeyEnabled ? "<button id=passkey>Passkey</button>" : ""
    let html = """
      <!doctype html><title>Sign in</title><button id=email-otp>Mail code</button>\
      <button id=apple>Apple</button><button id=google>Google</button>\(passkey)
      """
    var response = HTTPResponse(200, body: Array(html.utf8))
    response.headers["content-type"] = "text/html; charset=utf-8"
    return response
  }

  /// What the app may offer on its own screen.
  func methods(_ call: BetterAuthCall) -> HTTPResponse {
    .json([
      "emailOtp": true, "passkey": .bool(call.environment.isPasskeyEnabled),
      "social": ["apple", "google"],
    ])
  }

  /// Sends the browser back into the app: with the session's cookie, or with a code for it if the app
  /// brought a challenge (H-23). Without a session it goes back with neither.
  func handOff(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    let url = try callback(call)
    let challenge = try challenge(call)
    guard let index = try sessionIndex(call) else { return Self.back(to: url) }
    let session = state.sessions[index]
    guard let challenge else {
      return Self.back(to: url.adding("cookie", try cookieHeader(session, call)))
    }
    var code = BetterAuthState.HandOffCode()
    code.code = newID()
    code.challenge = challenge
    code.userID = session.userID
    code.expiresMs = call.nowMs + Self.codeMs
    state.handOffCodes.removeAll { $0.expiresMs <= call.nowMs }
    state.handOffCodes.append(code)
    return Self.back(to: url.adding("code", code.code))
  }

  /// Gives a session for a code to whoever made the challenge. The code is gone with the first try.
  func redeem(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    let code = try call.text("code")
    let verifier = try call.text("verifier")
    let refusal = BetterAuthRefusal(400, "INVALID_CODE", "Invalid code")
    guard let index = state.handOffCodes.firstIndex(where: { $0.code == code }) else {
      throw refusal
    }
    let found = state.handOffCodes.remove(at: index)
    let challenge = try signed { () throws(CryptoError) in
      Base64URL.encode(try sha256(Array(verifier.utf8)))
    }
    guard found.challenge == challenge, found.expiresMs > call.nowMs else { throw refusal }
    return try signedIn(found.userID, call)
  }

  /// The address that a request names, if it may get a callback.
  ///
  /// It must bring a nonce, and none of the parameters that the server adds.
  private func callback(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> CallbackURL {
    let list: TrustList
    do throws(TrustProblem) {
      list = try call.environment.trust.list()
    } catch {
      throw BetterAuthRefusal(403, "HANDOFF_NOT_CONFIGURED", "\(error)")
    }
    let refusal = BetterAuthRefusal(403, "INVALID_CALLBACK_URL", "Invalid callbackURL")
    guard let text = call.query.single("mobile_callback") else { throw refusal }
    let url: CallbackURL
    do throws(CallbackRefusal) {
      url = try list.admit(text)
    } catch {
      throw refusal
    }
    guard url.single("state")?.isEmpty == false, !url.has("cookie"), !url.has("code") else {
      throw refusal
    }
    return url
  }

  private func challenge(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> String? {
    guard let challenge = call.query.single("mobile_challenge") else {
      guard !call.environment.requiresChallenge else {
        throw BetterAuthRefusal(403, "CHALLENGE_REQUIRED", "A challenge is required")
      }
      return nil
    }
    guard challenge.utf8.count == 43 else {
      throw BetterAuthRefusal(400, "INVALID_CHALLENGE", "Invalid challenge")
    }
    return challenge
  }

  private static func back(to url: CallbackURL) -> HTTPResponse {
    var response = HTTPResponse.redirect(url.text)
    response.headers["cache-control"] = "no-store"
    response.headers["referrer-policy"] = "no-referrer"
    return response
  }
}
