import Crypto
import JSON
import Ports
import Wire

/// Codes and links on their way back: `POST` and `GET /verify`.
extension GoTrueServer {
  /// `POST /verify`. Wrong, spent, expired, unknown: one answer. Wrong guesses spend nothing.
  func verifyCode(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let kind = call.text("type") ?? ""
    let purposes = try purposes(of: kind)
    let code: GoTrueState.OneTimeCode
    if let digest = call.text("token_hash"), !digest.isEmpty {
      code = try find(purposes, digest: digest, call, else: .linkExpired)
    } else {
      guard let token = call.text("token"), !token.isEmpty else {
        throw .invalid("Verify requires a token or a token hash")
      }
      guard let email = call.email else {
        throw .invalid("Only an email address or phone number should be provided on verify")
      }
      let digest = try digest(of: token.filter { $0 != "-" }, for: email)
      code = try find(purposes, digest: digest, call, else: .codeExpired)
    }
    guard let user = try accept(code, call) else {
      return .json(["code": "200", "msg": .text(Self.firstOfTwo)])
    }
    return .json(.object(try signIn(user, by: .otp, call)))
  }

  /// `GET /verify`: the mailed link, opened in a browser.
  func followLink(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    let target = redirect(call)
    let token = call.query["token"] ?? call.query["token_hash"] ?? ""
    let isPKCE = token.hasPrefix(Self.pkcePrefix)
    do throws(GoTrueError) {
      guard !token.isEmpty else { throw .invalid("Verify requires a token or a token hash") }
      let purposes = try purposes(of: call.query["type"] ?? "")
      let code = try find(purposes, digest: token, call, else: .linkExpired)
      guard let user = try accept(code, call) else {
        let message = FormQuery(["message": Self.firstOfTwo])
        let location = isPKCE ? message.added(to: target) : target
        return .redirect("\(location)#\(message.text)", status: 303)
      }
      guard isPKCE else {
        let reply = try signIn(user, by: .otp, call)
        let kind = call.query["type"] ?? ""
        return .redirect("\(target)#\(fragment(of: reply, type: kind))", status: 303)
      }
      let flow = try issueCode(call.query["type"] ?? "", user, call)
      return .redirect(FormQuery(["code": flow.code]).added(to: target), status: 303)
    } catch {
      return .redirect(errorURL(target, error, inQuery: isPKCE), status: 303)
    }
  }

  private static let firstOfTwo =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email"

  /// `recovery` and `magiclink` share one place, so either takes the other's code.
  private func purposes(
    of kind: String
  ) throws(GoTrueError) -> [GoTrueState.OneTimeCode.Purpose] {
    switch kind {
    case "signup", "invite": [.confirmation]
    case "recovery", "magiclink": [.recovery]
    case "email": [.confirmation, .recovery]
    case "email_change": [.emailChangeNew, .emailChangeCurrent]
    default: throw .invalid("Verify requires a verification type")
    }
  }

  private func find(
    _ purposes: [GoTrueState.OneTimeCode.Purpose], digest: String, _ call: GoTrueCall,
    else problem: GoTrueError
  ) throws(GoTrueError) -> GoTrueState.OneTimeCode {
    // Whether the request for it had a challenge does not matter to a typed code.
    let plain = digest.hasPrefix(Self.pkcePrefix) ? String(digest.dropFirst(5)) : digest
    let code = state.codes.first { purposes.contains($0.purpose) && $0.digest == plain }
    guard let code, !isExpired(code, call), let user = state.user(id: code.userID) else {
      throw problem
    }
    if isBanned(user, call) { throw .error(403, .userBanned, "User is banned") }
    return code
  }

  private func isExpired(_ code: GoTrueState.OneTimeCode, _ call: GoTrueCall) -> Bool {
    call.nowMs > code.sentMs + settings.codeSeconds * 1000
  }

  /// Spends a code that the user was sent, if it is the right one.
  func spend(
    _ purposes: [GoTrueState.OneTimeCode.Purpose], _ text: String, of user: GoTrueState.User,
    _ call: GoTrueCall
  ) throws(GoTrueError) -> GoTrueState.OneTimeCode? {
    let digest = try digest(of: text, for: user.email)
    let code = state.codes.first {
      $0.userID == user.id && purposes.contains($0.purpose) && $0.digest == digest
    }
    guard let code, !isExpired(code, call) else { return nil }
    state.codes.removeAll { $0 == code }
    return code
  }

  /// Spends a code, and does what it is for.
  ///
  /// - Returns: The user as they are then; `nil` if the code of another address is still out.
  private func accept(
    _ code: GoTrueState.OneTimeCode, _ call: GoTrueCall
  ) throws(GoTrueError) -> GoTrueState.User? {
    guard var user = state.user(id: code.userID) else { throw .codeExpired }
    state.codes.removeAll { $0 == code }
    switch code.purpose {
    case .confirmation, .recovery:
      return confirm(user, at: call.nowMs)
    case .emailChangeNew, .emailChangeCurrent:
      let isWaiting = state.codes.contains {
        $0.userID == user.id && [.emailChangeNew, .emailChangeCurrent].contains($0.purpose)
      }
      if isWaiting { return nil }
      user.email = user.newEmail ?? user.email
      user.newEmail = nil
      user.emailChangeSentMs = nil
      state.update(user)
      for index in state.identities.indices
      where state.identities[index].userID == user.id
        && state.identities[index].provider == "email"
      {
        state.identities[index].email = user.email
        state.identities[index].data["email"] = .text(user.email)
      }
      return confirm(user, at: call.nowMs)
    case .reauthentication, .sensitive:
      throw .codeExpired
    }
  }
}
