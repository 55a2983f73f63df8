import Backend
import Crypto
import JSON
import Ports
import Testing

/// A server with a clock that a test moves, and the words of a client for it.
final class GoTrueRig {
  final class Clock: WallClock {
    var nowMs: Int64 = 1_800_000_000_000
  }

  /// A reply, taken apart.
  struct Reply {
    let status: Int
    let json: JSONValue
    let headers: HTTPHeaders
    let delivery: ServerReply.Delivery

    subscript(key: String) -> JSONValue? { json[key] }
    /// The refusal's code.
    var code: String? { headers["x-sb-error-code"] }
    var location: String { headers["location"] ?? "" }
    var access: String { json["access_token"]?.text ?? "" }
    var refresh: String { json["refresh_token"]?.text ?? "" }
  }

  static let email = "ada@example.com"
  static let password = "correct horse"

  let server: GoTrueServer
  let clock = Clock()
  var address = "10.0.0.1"
  /// Whether requests name the version of the API.
  var isVersioned = true

  init(seed: UInt64 = 1, _ change: (inout GoTrueSettings) -> Void = { _ in }) {
    var settings = GoTrueSettings()
    settings.mailIntervalSeconds = 0
    settings.mailLimit = RateLimit(count: 1000, windowMs: 1000, burst: 1000)
    change(&settings)
    server = GoTrueServer(
      settings, clock: clock, entropy: SeededEntropy(seed: seed, stream: "server"))
  }

  func advance(seconds: Int64) { clock.nowMs += seconds * 1000 }

  @discardableResult
  func send(
    _ method: String, _ target: String, _ body: JSONValue? = nil, bearer: String? = nil
  ) -> Reply {
    var request = HTTPRequest(method, target.hasPrefix("/") ? "/auth/v1\(target)" : "/\(target)")
    if let body {
      request.body = JSONWriter.bytes(of: body)
      request.headers["Content-Type"] = "application/json;charset=UTF-8"
    }
    request.headers["Host"] = "127.0.0.1:9999"
    request.headers["Authorization"] = bearer.map { "Bearer \($0)" }
    if isVersioned { request.headers["X-Supabase-Api-Version"] = "2024-01-01" }
    return Self.reply(server.answer(request, from: address))
  }

  private static func reply(_ reply: ServerReply) -> Reply {
    let json: JSONValue
    do {
      json = try JSONReader.read(reply.response.body).value
    } catch {
      json = .text(String(decoding: reply.response.body, as: UTF8.self))
    }
    return Reply(
      status: reply.response.status, json: json, headers: reply.response.headers,
      delivery: reply.delivery)
  }

  // MARK: The calls of a client

  @discardableResult
  func post(_ target: String, _ body: JSONValue = [:], bearer: String? = nil) -> Reply {
    send("POST", target, body, bearer: bearer)
  }

  func get(_ target: String, bearer: String? = nil) -> Reply {
    send("GET", target, bearer: bearer)
  }

  func addAccount(_ email: String = email) throws {
    try server.addAccount(email, password: Self.password)
  }

  @discardableResult
  func signIn(_ email: String = email, password: String = password) -> Reply {
    post(
      "/token?grant_type=password", ["email": .text(email), "password": .text(password)])
  }

  @discardableResult
  func signUp(_ email: String = email, password: String = password) -> Reply {
    post("/signup", ["email": .text(email), "password": .text(password)])
  }

  @discardableResult
  func refresh(_ token: String) -> Reply {
    post("/token?grant_type=refresh_token", ["refresh_token": .text(token)])
  }

  @discardableResult
  func verify(_ type: String, _ code: String, email: String = email) -> Reply {
    post(
      "/verify", ["type": .text(type), "email": .text(email), "token": .text(code)])
  }

  /// The newest mail to an address.
  func mail(to email: String = email) throws -> GoTrueState.Mail {
    try #require(server.state.outbox.last { $0.to == email })
  }

  func follow(_ link: String?) throws -> Reply {
    let link = try #require(link)
    let path = try #require(link.split(separator: "9999/", maxSplits: 1).last)
    return send("GET", String(path))
  }

  // MARK: Factors

  /// Enrols a factor, without verifying it.
  func enrol(_ bearer: String, name: String = "phone") -> Reply {
    post(
      "/factors", ["factor_type": "totp", "friendly_name": .text(name), "issuer": "Lab"],
      bearer: bearer)
  }

  func code(secret: String, offsetSeconds: Int64 = 0) throws -> String {
    try TimeBasedCode.code(
      secret: try #require(Base32.decode(secret)), at: server.nowMs / 1000 + offsetSeconds)
  }

  func challenge(_ factor: String, bearer: String) -> Reply {
    post("/factors/\(factor)/challenge", bearer: bearer)
  }

  func verifyFactor(
    _ factor: String, challenge: String, code: String, bearer: String
  ) -> Reply {
    post(
      "/factors/\(factor)/verify", ["challenge_id": .text(challenge), "code": .text(code)],
      bearer: bearer)
  }

  /// Enrols a factor and raises the session by it.
  func raise(_ bearer: String) throws -> (factor: String, secret: String, reply: Reply) {
    let factor = enrol(bearer)
    let id = try #require(factor["id"]?.text)
    let secret = try #require(factor["totp"]?["secret"]?.text)
    let reply = try raise(bearer, factor: id, secret: secret)
    return (id, secret, reply)
  }

  func raise(_ bearer: String, factor: String, secret: String) throws -> Reply {
    let challenge = try #require(challenge(factor, bearer: bearer)["id"]?.text)
    return verifyFactor(
      factor, challenge: challenge, code: try code(secret: secret), bearer: bearer)
  }

  /// The claims of an access token; its signature is not looked at.
  static func claims(_ token: String) throws -> JSONValue {
    let parts = token.split(separator: ".")
    try #require(parts.count == 3)
    return try JSONReader.read(Base64URL.decode(String(parts[1]))).value
  }
}
