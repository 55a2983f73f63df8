import JSON
import Ports

/// Requests to the auth server, and what their replies say.
extension AuthClient {
  /// Sends a request and gives the JSON of its reply.
  ///
  /// - Parameters:
  ///   - method: `GET`, `POST`, …
  ///   - target: Path and query, after the base URL.
  ///   - body: What to send; `nil` for no body.
  ///   - bearer: An access token; without one the project's public key.
  ///   - wantsReply: Whether the reply is read; if not, it may be anything and the value is null.
  /// - Returns: The value.
  /// - Throws: ``AuthError`` when there was no reply, one that refuses, or one that cannot be read.
  func request(
    _ method: String, _ target: String, body: JSONObject? = nil, bearer: String? = nil,
    wantsReply: Bool = true
  ) async throws(AuthError) -> JSONValue {
    var headers = HTTPHeaders()
    headers["apikey"] = settings.anonKey
    headers["Authorization"] = "Bearer \(bearer ?? settings.anonKey)"
    headers["X-Client-Info"] = "gotrue-js/\(settings.sdk)"
    headers["X-Supabase-Api-Version"] = Self.apiVersion
    if body != nil { headers["Content-Type"] = "application/json;charset=UTF-8" }
    let request = HTTPRequest(
      method, settings.basePath + target, headers: headers,
      body: body.map { JSONWriter.bytes(of: .object($0)) } ?? [])
    let response = try await answer(request)
    guard (200...299).contains(response.status) else { throw failure(response) }
    guard wantsReply else { return .null }
    switch JavaScriptValue.parse(String(decoding: response.body, as: UTF8.self)) {
    case .success(let value): return value
    case .failure(let error): throw .retryableFetch(message: error.message, status: 0)
    }
  }

  private func answer(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
    let send = { () async throws(AuthError) -> HTTPResponse in
      do throws(NetworkError) {
        return try await self.ports.transport.send(request)
      } catch {
        throw .retryableFetch(message: error.message, status: 0)
      }
    }
    return settings.isHardened ? try await within(Self.requestTime, send) : try await send()
  }

  /// A token request: the session in its reply, if there is one, and the user.
  func requestToken(
    _ target: String, body: JSONObject
  ) async throws(AuthError) -> (user: AuthUser?, session: AuthSession?) {
    let reply = try await request("POST", target, body: body)
    guard reply != .null else {
      let message = "Cannot read properties of null (reading 'access_token')"
      throw .defect(name: "TypeError", message: message)
    }
    // On a device whose clock is ahead, each new token would count as expired (G10).
    let session = AuthSession(
      reply: reply, nowMs: ports.clock.nowMs, isByOwnClock: settings.isHardened)
    return (AuthUser(reply: reply), session)
  }

  /// A token request that signs in: both have to be there.
  func requestSession(_ target: String, body: JSONObject) async throws(AuthError) -> AuthSession {
    let reply = try await requestToken(target, body: body)
    guard let session = reply.session, reply.user != nil else { throw .tokenResponse }
    return session
  }

  private static let apiVersion = "2024-01-01"

  private func failure(_ response: HTTPResponse) -> AuthError {
    let status = response.status
    let parsed = JavaScriptValue.parse(String(decoding: response.body, as: UTF8.self))
    if settings.behaviour.isRetryable(status) {
      // Older versions print the reply object, which in React Native has nothing to print.
      guard settings.behaviour.keepsServerMessage else {
        return .retryableFetch(message: "{}", status: status)
      }
      let message = (try? parsed.get()).flatMap(Self.stated)
      return .retryableFetch(message: message ?? "HTTP \(status)", status: status)
    }
    switch parsed {
    case .failure(let error): return .unknown(message: error.message)
    case .success(let body): return refusal(body, response)
    }
  }

  private func refusal(_ body: JSONValue, _ response: HTTPResponse) -> AuthError {
    let version = response.headers["X-Supabase-Api-Version"] ?? ""
    let code = (version >= Self.apiVersion ? body["code"]?.text : nil) ?? body["error_code"]?.text
    let message = Self.stated(body) ?? JSONWriter.text(of: body)
    let reasons = body["weak_password"]?["reasons"]?.list?.compactMap(\.text) ?? []
    switch code {
    case "weak_password":
      return .weakPassword(message: message, status: response.status, reasons: reasons)
    case nil where !reasons.isEmpty:
      return .weakPassword(message: message, status: response.status, reasons: reasons)
    case "session_not_found": return .sessionMissing
    default: return .api(message: message, status: response.status, code: code)
    }
  }

  private static func stated(_ body: JSONValue) -> String? {
    ["msg", "message", "error_description", "error"].lazy
      .compactMap { body[$0]?.text }.first { !$0.isEmpty }
  }
}
