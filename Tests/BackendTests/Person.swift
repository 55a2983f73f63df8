import Backend
import JSON
import Ports
import Session
import Testing
import Wire

/// Somebody who signs in on the web page, and the browser with its own cookies.
final class Person: Browser {
  enum Way: CaseIterable { case mailCode, passkey, social }

  unowned let bench: HandOffBench
  var way = Way.mailCode
  /// What comes of the sheet instead of a sign-in.
  var ending: BrowserResult?
  var refusal: NativeError?
  /// What somebody on the way makes of the address that leads back.
  var tamper: (String) -> String = { $0 }
  private(set) var pages: [String] = []
  /// The addresses that led back, as the server sent them.
  private(set) var callbacks: [String] = []
  private(set) var paths: [String] = []
  private var cookies: [String: String] = [:]
  /// Nobody closes the sheet and the system never calls back.
  var isStuck = false

  init(_ bench: HandOffBench) { self.bench = bench }

  func openAuthSession(
    _ url: String, redirect: String
  ) async throws(NativeError) -> BrowserResult {
    pages.append(url)
    if let refusal { throw refusal }
    if isStuck { await withCheckedContinuation { stuck.append($0) } }
    if let ending { return ending }
    guard let location = finish(url) else { return .cancel }
    callbacks.append(location)
    return .success(tamper(location))
  }

  private var stuck: [CheckedContinuation<Void, Never>] = []

  /// Lets the waiting calls end, as at the end of a process.
  func letGo() {
    stuck.forEach { $0.resume() }
    stuck = []
  }

  /// Goes through the page to its end.
  ///
  /// - Returns: Where it leads, if into the app.
  func finish(_ page: String) -> String? {
    let target = String(page.dropFirst("https://web.example.com".count))
    if target.hasPrefix("/api/auth/expo-authorization-proxy") { return provider(target) }
    guard get(target)?.status == 200 else { return nil }
    if cookies.isEmpty { signIn() }
    let query = target.dropFirst("/auth?".count)
    return get("/api/auth/mobile-handoff?\(query)")?.headers["location"]
  }

  /// Goes to a provider and comes back to the server.
  private func provider(_ target: String) -> String? {
    guard let location = get(target)?.headers["location"] else { return nil }
    let query = FormQuery(location.drop { $0 != "?" }.dropFirst())
    guard let state = query.single("state"),
      let back = query.single("redirect_uri")?.dropFirst("https://web.example.com".count)
    else { return nil }
    var answer = FormQuery()
    answer.add("state", state)
    answer.add("code", token())
    return get("\(back)?\(answer.text)")?.headers["location"]
  }

  private func token() -> String {
    do { return try bench.server.idToken(for: "ada@example.com") } catch { return "" }
  }

  private func signIn() {
    switch way {
    case .mailCode:
      post("/email-otp/send-verification-otp", ["email": "ada@example.com", "type": "sign-in"])
      let code = bench.server.state.outbox.last?.code ?? ""
      post("/sign-in/email-otp", ["email": "ada@example.com", "otp": .text(code)])
    case .passkey:
      let key = bench.server.addPasskey(for: "ada@example.com")
      let options = get("/api/auth/passkey/generate-authenticate-options")
      let challenge = options.flatMap { OrderedJSON.reading(text($0)) }?["challenge"]?.text
      post(
        "/passkey/verify-authentication", ["id": .text(key), "challenge": .text(challenge ?? "")])
    case .social:
      post("/sign-in/social", ["provider": "google", "idToken": ["token": .text(token())]])
    }
  }

  private func text(_ response: HTTPResponse) -> String {
    String(decoding: response.body, as: UTF8.self)
  }

  @discardableResult private func get(_ target: String) -> HTTPResponse? {
    visit(HTTPRequest("GET", target))
  }

  private func post(_ path: String, _ body: JSONValue) {
    _ = visit(HTTPRequest("POST", "/api/auth\(path)", body: JSONWriter.bytes(of: body)))
  }

  private func visit(_ request: HTTPRequest) -> HTTPResponse? {
    paths.append("\(request.method) \(request.path)")
    var request = request
    request.headers["origin"] = "https://web.example.com"
    let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    if !pairs.isEmpty { request.headers["cookie"] = pairs.joined(separator: "; ") }
    let response = bench.server.answer(request, from: "203.0.113.1").response
    for header in response.headers.values(of: "set-cookie") {
      let pair = header.prefix { $0 != ";" }
      let name = String(pair.prefix { $0 != "=" })
      let value = String(pair.dropFirst(name.count + 1))
      cookies[name] = value.isEmpty ? nil : value
    }
    return response
  }
}
