import JSON
import Ports
import Wire

/// One request to the server, read once.
struct BetterAuthCall {
  let method: String
  /// Below `/api/auth`; the whole path of a page.
  let path: String
  let query: FormQuery
  private let rawQuery: Substring
  let headers: HTTPHeaders
  let cookies: RequestCookies
  /// The members of the body; none if it is no JSON object.
  let body: JSONObject
  var address: String
  var nowMs: Int64
  let environment: BetterAuthEnvironment

  static let basePath = "/api/auth"

  init(
    _ request: HTTPRequest, from address: String, nowMs: Int64, _ environment: BetterAuthEnvironment
  ) {
    method = request.method
    let path = String(request.path)
    self.path =
      path.hasPrefix(Self.basePath + "/") ? String(path.dropFirst(Self.basePath.count)) : path
    query = FormQuery(request.query)
    rawQuery = request.query
    headers = ExpoPlugin.withOrigin(request.headers)
    cookies = RequestCookies(request.headers["cookie"] ?? "")
    body = Self.object(request.body)
    self.address = address
    self.nowMs = nowMs
    self.environment = environment
  }

  /// Method and path, with `*` for the provider of a callback.
  var route: String { "\(method) \(pattern)" }

  private var pattern: String {
    path.hasPrefix("/callback/") && !path.hasSuffix("/") ? "/callback/*" : path
  }

  /// What faults compare.
  var place: RequestPlace {
    RequestPlace(
      bases: [Self.basePath], method: method, paths: [path, pattern],
      query: FormQuery(lenient: rawQuery))
  }

  private static func object(_ bytes: [UInt8]) -> JSONObject {
    do throws(JSONError) {
      return try JSONReader.read(bytes, JSONRules(.json, duplicateKeys: .lastWins)).value.object
        ?? JSONObject()
    } catch {
      return JSONObject()  // Each endpoint refuses what it misses.
    }
  }

  /// A text of the body that must be there.
  func text(_ name: String) throws(BetterAuthRefusal) -> String {
    guard let text = body[name]?.text, !text.isEmpty else {
      throw BetterAuthRefusal(400, "VALIDATION_ERROR", "[body.\(name)] invalid input")
    }
    return text
  }
}

/// Why a request is not done, as the reply says it: `{code, message}`.
struct BetterAuthRefusal: Error, Equatable {
  var status: Int
  var code: String?
  var message: String
  /// For how many seconds a limit holds.
  var retryAfter: Int64?

  init(_ status: Int, _ code: String?, _ message: String, retryAfter: Int64? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }

  /// The library of ciphers failed: nobody's request is wrong.
  static let broken = BetterAuthRefusal(500, "INTERNAL_SERVER_ERROR", "Internal Server Error")

  var response: HTTPResponse {
    var body: JSONObject = JSONObject()
    if let code { body["code"] = .text(code) }
    body["message"] = .text(message)
    var response = HTTPResponse.json(.object(body), status: status)
    if let retryAfter { response.headers["x-retry-after"] = "\(retryAfter)" }
    return response
  }
}

extension HTTPResponse {
  static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
    var response = HTTPResponse(status, body: JSONWriter.bytes(of: value))
    response.headers["content-type"] = "application/json"
    return response
  }

  static func redirect(_ location: String) -> HTTPResponse {
    var response = HTTPResponse(302)
    response.headers["location"] = location
    return response
  }
}
