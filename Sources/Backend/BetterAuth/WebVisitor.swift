import JSON
import Ports
import Wire

/// A person with a browser of their own, in which pages of the web app keep their cookies.
package struct WebVisitor {
  private let server: BetterAuthServer
  private let email: String
  private var cookies: [String: String] = [:]

  /// - Parameters:
  ///   - server: Behind the web app.
  ///   - email: Where the person reads mail.
  package init(_ server: BetterAuthServer, email: String) {
    self.server = server
    self.email = email
  }

  /// Goes through a page of a hand-off to its end, and signs in there by a code from the mail.
  ///
  /// - Parameter page: Its address, as the app has opened it.
  /// - Returns: The address that leads back into the app; `nil` if there is none.
  package mutating func finish(_ page: String) -> String? {
    guard let start = page.firstRange(of: "/auth?"),
      visit(HTTPRequest("GET", String(page[start.lowerBound...]))).status == 200
    else { return nil }
    if cookies.isEmpty { signIn() }
    let query = page[start.upperBound...]
    return visit(HTTPRequest("GET", "/api/auth/mobile-handoff?\(query)")).headers["location"]
  }

  private mutating func signIn() {
    post("/email-otp/send-verification-otp", ["email": .text(email), "type": "sign-in"])
    let code = server.state.outbox.last { $0.to == email }?.code ?? ""
    post("/sign-in/email-otp", ["email": .text(email), "otp": .text(code)])
  }

  private mutating func post(_ path: String, _ body: JSONValue) {
    _ = visit(HTTPRequest("POST", "/api/auth\(path)", body: JSONWriter.bytes(of: body)))
  }

  private mutating func visit(_ request: HTTPRequest) -> HTTPResponse {
    var request = request
    request.headers["origin"] = server.webOrigin
    let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    if !pairs.isEmpty { request.headers["cookie"] = pairs.joined(separator: "; ") }
    let response = server.answer(request, from: "198.51.100.7").response
    for header in response.headers.values(of: "set-cookie") {
      let pair = header.prefix { $0 != ";" }
      let name = String(pair.prefix { $0 != "=" })
      let value = String(pair.dropFirst(name.count + 1))
      cookies[name] = value.isEmpty ? nil : value
    }
    return response
  }
}
