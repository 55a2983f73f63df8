import JSON
import Session

/// One call of a script: what it gives, as JavaScript would see it.
struct PlayedCall {
  let api: String
  let arguments: [JSONValue]
  let client: AuthClient
  let summary: RecordedSummary

  /// The value of a settled call, or what its promise is rejected with.
  func value() async throws(AuthError) -> JSONValue {
    do throws(AuthError) {
      let data = try await data()
      switch api {
      case "startAutoRefresh", "stopAutoRefresh": return .null
      case "signOut": return ["error": .null]
      default: return ["data": data, "error": .null]
      }
    } catch  where !error.isRejection || isReturned(error) {
      let error = summary.error(error)
      return api == "signOut" ? ["error": error] : ["data": dataOfFailure, "error": error]
    }
  }

  /// Two calls give an error as a result that others throw.
  private func isReturned(_ error: AuthError) -> Bool {
    guard case .invalidToken = error else { return false }
    return api == "setSession" || !arguments.isEmpty
  }

  private var dataOfFailure: JSONValue {
    switch api {
    case "getSession": ["session": .null]
    case "getUser", "updateUser": ["user": .null]
    case "exchangeCodeForSession": ["redirectType": .null, "session": .null, "user": .null]
    case "resetPasswordForEmail": .null
    case let api where api.hasPrefix("mfa."): .null
    default: ["session": .null, "user": .null]
    }
  }

  private var fields: JSONObject { arguments.first?.object ?? [:] }

  /// The second argument.
  private var options: JSONValue? { arguments.count > 1 ? arguments[1] : nil }

  private func field(_ key: String) -> String { fields[key]?.text ?? "" }

  private func data() async throws(AuthError) -> JSONValue {
    switch api {
    case "startAutoRefresh": await client.startAutoRefresh()
    case "stopAutoRefresh": await client.stopAutoRefresh()
    case "appVerify":
      try await client.challengeAndVerify(
        factor: arguments.first?.text ?? "", code: arguments.last?.text ?? "")
    case "signOut" where arguments.isEmpty: try await client.signOut()
    case "signOut":
      try await client.signOut(AuthClient.SignOutScope(rawValue: field("scope")) ?? .global)
    case "resetPasswordForEmail":
      try await client.resetPasswordForEmail(arguments.first?.text ?? "", options)
      return [:]
    case "resend":
      try await client.resend(fields)
      return dataOfFailure
    case "signInWithOtp":
      try await client.signInWithOtp(fields)
      return dataOfFailure
    case "signInWithOAuth": return try await startOAuth()
    case "getUser": return ["user": summary.user(try await client.getUser().json)]
    case "updateUser":
      return ["user": summary.user(try await client.updateUser(fields, options).json)]
    case let api where api.hasPrefix("mfa."): return try await factorData()
    default: return try await sessionData()
    }
    return .null
  }

  private func startOAuth() async throws(AuthError) -> JSONValue {
    let options = fields["options"]
    let start = try await client.signInWithOAuth(
      provider: field("provider"), redirectTo: options?["redirectTo"]?.text ?? "",
      scopes: options?["scopes"]?.text)
    var data: JSONObject = ["provider": .text(field("provider")), "url": .text(start.url)]
    if summary.recording.version.hasPrefix("2.112") {
      data["flowId"] = start.flow.map(JSONValue.text) ?? .null
    }
    return .object(data)
  }

  private func sessionData() async throws(AuthError) -> JSONValue {
    switch api {
    case "getSession": return ["session": wrapped(try await client.getSession())]
    case "refreshSession":
      let token = fields["refresh_token"]?.text
      return both(try await client.refreshSession(with: token))
    case "setSession":
      return both(
        try await client.setSession(
          accessToken: field("access_token"), refreshToken: field("refresh_token")))
    case "signInWithPassword":
      let session = try await client.signInWithPassword(fields)
      var data = both(session).object ?? [:]
      data["weakPassword"] = session.json["weak_password"]
      return .object(data)
    case "signUp":
      let reply = try await client.signUp(fields)
      return ["session": wrapped(reply.session), "user": summary.user(reply.user?.json)]
    case "verifyOtp":
      let reply = try await client.verifyOtp(fields)
      return ["session": wrapped(reply.session), "user": summary.user(reply.user?.json)]
    case "signInWithIdToken":
      return both(try await client.signInWithIdToken(fields))
    case "exchangeCodeForSession":
      let flow = options?["flowId"]?.text
      let end = try await client.exchange(code: arguments.first?.text ?? "", flow: flow)
      var data = both(end.session).object ?? [:]
      data["redirectType"] = end.redirectType.map(JSONValue.text) ?? .null
      return .object(data)
    default: throw .defect(name: "Error", message: "the player does not know \(api)")
    }
  }

  private func factorData() async throws(AuthError) -> JSONValue {
    switch api {
    case "mfa.enroll":
      return .object(try await client.enroll(fields))
    case "mfa.unenroll":
      return try await client.remove(factor: field("factorId"))
    case "mfa.challenge": return try await client.challenge(factor: field("factorId"))
    case "mfa.verify": return try await verify(fields["challengeId"])
    case "mfa.challengeAndVerify":
      return try await verify(try await client.challenge(factor: field("factorId"))["id"])
    case "mfa.listFactors":
      let all = try await client.listFactors()
      let verified = all.filter { $0["status"] == "verified" }
      var data: JSONObject = ["all": .list(all.map(JSONValue.object))]
      for type in ["phone", "totp", "webauthn"] {
        data[type] = .list(
          verified.filter { $0["factor_type"]?.text == type }.map(JSONValue.object))
      }
      return .object(data)
    case "mfa.getAuthenticatorAssuranceLevel":
      let levels = try await client.assurance(of: arguments.first?.text)
      return [
        "currentAuthenticationMethods": .list(levels.methods),
        "currentLevel": levels.current.map(JSONValue.text) ?? .null,
        "nextLevel": levels.next.map(JSONValue.text) ?? .null,
      ]
    default: throw .defect(name: "Error", message: "the player does not know \(api)")
    }
  }

  private func verify(_ challenge: JSONValue?) async throws(AuthError) -> JSONValue {
    wrapped(
      try await client.verify(
        factor: field("factorId"), challenge: challenge ?? .null, code: field("code")))
  }

  private func wrapped(_ session: AuthSession?) -> JSONValue {
    session.map { ["$session": summary.session($0.json)] } ?? .null
  }

  private func both(_ session: AuthSession?) -> JSONValue {
    ["session": wrapped(session), "user": summary.user(session?.user?.json)]
  }
}
