package import JSON
package import Ports

/// The application's own handlers, `/api/v1`, called with the session's token. They, and not the app,
/// enforce the second factor.
package final class ApplicationAPI {
  private let auth: any AuthCalls
  private let transport: any HTTPTransport
  private let profile: AppProfile

  package init(_ auth: any AuthCalls, _ transport: any HTTPTransport, _ profile: AppProfile) {
    self.auth = auth
    self.transport = transport
    self.profile = profile
  }

  /// Calls one handler.
  ///
  /// A refusal for want of the second factor means that the app does not know of it, as when it was
  /// added elsewhere: `hardened` refreshes the session then, whose status leads to the challenge.
  ///
  /// - Parameters:
  ///   - method: The method of HTTP.
  ///   - path: What follows `/api/v1`.
  ///   - body: What is sent; nothing if it is `nil`.
  /// - Returns: The reply.
  /// - Throws: The refusal of the server, or ``AuthError/sessionMissing``.
  package func call(
    _ method: String, _ path: String, _ body: JSONValue? = nil
  ) async throws(AuthError) -> JSONValue {
    guard let token = try await auth.getSession()?.json["access_token"]?.text else {
      throw .sessionMissing
    }
    var request = HTTPRequest(method, "/api/v1\(path)")
    request.headers["Authorization"] = "Bearer \(token)"
    if let body {
      request.headers["Content-Type"] = "application/json"
      request.body = JSONWriter.bytes(of: body)
    }
    let response: HTTPResponse
    do throws(NetworkError) {
      response = try await transport.send(request)
    } catch {
      throw .retryableFetch(message: error.message, status: 0)
    }
    let reply = try read(response)
    guard !(200..<300).contains(response.status) else { return reply }
    let code = reply["code"]?.text
    if code == "insufficient_aal", profile == .hardened { _ = try await auth.refreshSession() }
    throw .api(message: reply["message"]?.text ?? "", status: response.status, code: code)
  }

  private func read(_ response: HTTPResponse) throws(AuthError) -> JSONValue {
    do throws(JSONError) {
      return try JSONReader.read(response.body, JSONRules(.json, duplicateKeys: .lastWins)).value
    } catch {
      throw .unknown(message: "the reply with status \(response.status) is no JSON")
    }
  }
}
