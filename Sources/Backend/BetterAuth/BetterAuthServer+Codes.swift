import JSON
import Ports

/// Codes by mail: six digits, good for 300 s and for three wrong tries.
extension BetterAuthServer {
  private static let codeMs: Int64 = 300_000
  private static let attemptsMax = 3

  func sendCode(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    let email = try email(call)
    guard try call.text("type") == "sign-in" else {
      throw BetterAuthRefusal(400, "VALIDATION_ERROR", "[body.type] invalid input")
    }
    var code = BetterAuthState.MailCode()
    code.email = email
    code.code = Identifier.text(6, of: "0123456789", entropy)
    code.expiresMs = call.nowMs + Self.codeMs
    state.mailCodes.removeAll { $0.email == email }
    state.mailCodes.append(code)
    var mail = BetterAuthState.Mail()
    mail.to = email
    mail.code = code.code
    mail.sentMs = call.nowMs
    state.outbox.append(mail)
    return .json(["success": true])
  }

  func signInWithCode(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    let email = try email(call)
    let typed = try call.text("otp")
    guard let index = state.mailCodes.firstIndex(where: { $0.email == email }) else {
      throw BetterAuthRefusal(400, "INVALID_OTP", "Invalid OTP")
    }
    guard state.mailCodes[index].expiresMs > call.nowMs else {
      state.mailCodes.remove(at: index)
      throw BetterAuthRefusal(400, "OTP_EXPIRED", "OTP expired")
    }
    guard state.mailCodes[index].attempts < Self.attemptsMax else {
      state.mailCodes.remove(at: index)
      throw BetterAuthRefusal(403, "TOO_MANY_ATTEMPTS", "Too many attempts")
    }
    guard state.mailCodes[index].code == typed else {
      state.mailCodes[index].attempts += 1
      throw BetterAuthRefusal(400, "INVALID_OTP", "Invalid OTP")
    }
    state.mailCodes.remove(at: index)
    return try signedIn(userID(email, call.nowMs), call)
  }

  /// `{token, user}` and the cookie of a new session.
  func signedIn(
    _ userID: String, _ call: BetterAuthCall
  ) throws(BetterAuthRefusal) -> HTTPResponse {
    var response = HTTPResponse(200)
    try begin(userID: userID, &response, call)
    let token = state.sessions.last?.token ?? ""
    let body: JSONValue = [
      "token": .text(token), "user": user(userID).map(Self.json) ?? .null,
    ]
    response.headers["content-type"] = "application/json"
    response.body = JSONWriter.bytes(of: body)
    return response
  }

  private func email(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> String {
    let email = try call.text("email").lowercased()
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
      throw BetterAuthRefusal(400, "INVALID_EMAIL", "Invalid email")
    }
    return email
  }
}

/// In production an address may ask so often for a path.
extension BetterAuthServer {
  func limit(_ call: BetterAuthCall) throws(BetterAuthRefusal) {
    guard call.environment.isProduction else { return }
    let (most, windowMs): (Int64, Int64) =
      call.path.hasPrefix("/sign-in")
      ? (3, 10_000)
      : call.path == "/email-otp/send-verification-otp" ? (3, 60_000) : (100, 10_000)
    let key = "\(call.address)|\(call.path)"
    guard let index = state.counters.firstIndex(where: { $0.key == key }) else {
      var counter = BetterAuthState.RequestCounter()
      counter.key = key
      counter.count = 1
      counter.lastMs = call.nowMs
      state.counters.append(counter)
      return
    }
    let sinceMs = call.nowMs - state.counters[index].lastMs
    if sinceMs > windowMs {
      state.counters[index].count = 0
    } else if state.counters[index].count >= most {
      let seconds = (windowMs - sinceMs + 999) / 1000
      throw BetterAuthRefusal(
        429, nil, "Too many requests. Please try again later.", retryAfter: seconds)
    }
    state.counters[index].count += 1
    state.counters[index].lastMs = call.nowMs
  }
}
