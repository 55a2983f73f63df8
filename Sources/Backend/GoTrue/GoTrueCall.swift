import JSON
import Ports
import Wire

/// One request, taken apart.
struct GoTrueCall {
  /// Which of the server's faces is asked.
  enum Area: String {
    case auth = "/auth/v1"
    case application = "/api/v1"
    case provider = "/fake-provider"
    case lab = "/lab"
  }

  let area: Area
  let method: String
  /// The path below the area: `/token`.
  let path: String
  let query: FormQuery
  let body: JSONObject
  let bearer: String?
  /// `http://` and the host that the client used.
  let base: String
  let isVersioned: Bool
  var address: String
  var nowMs: Int64 = 0
  /// A fault: what is handed out has expired already.
  var agesTokens = false

  /// Method and path, with `*` for an id in it: `POST /factors/*/verify`.
  var route: String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // The first part is the empty one before the slash.
    for (index, part) in parts.enumerated().dropFirst()
    where ["factors", "invitations"].contains(parts[index - 1]) && !part.isEmpty {
      parts[index] = "*"
    }
    return "\(method) \(parts.joined(separator: "/"))"
  }

  /// The id that ``route`` shows as `*`.
  var id: String {
    let parts = path.split(separator: "/")
    guard let index = parts.firstIndex(where: { ["factors", "invitations"].contains($0) }),
      index + 1 < parts.count
    else { return "" }
    return String(parts[index + 1])
  }

  /// What faults compare; `nil` for the faces that they leave alone.
  var place: RequestPlace? {
    switch area {
    case .auth, .application:
      RequestPlace(
        bases: GoTrueServer.bases, method: method,
        paths: [path, String(route.dropFirst(method.count + 1))], query: query)
    case .provider, .lab: nil
    }
  }

  /// A text of the body; any other value counts as absent.
  func text(_ key: String) -> String? { body[key]?.text }

  /// The address of the body, as addresses are compared.
  var email: String? {
    guard let email = text("email"), !email.isEmpty else { return nil }
    return email.lowercased()
  }

  var nowSeconds: Int64 { nowMs / 1000 }
}

extension GoTrueCall {
  /// Takes a request apart.
  ///
  /// - Throws: ``GoTrueError/unknownRoute`` for a path outside all areas; `bad_json`.
  init(_ request: HTTPRequest, from address: String) throws(GoTrueError) {
    let path = String(request.path)
    let areas: [Area] = [.auth, .application, .provider, .lab]
    guard let area = areas.first(where: { path.hasPrefix($0.rawValue + "/") }) else {
      throw .unknownRoute
    }
    self.area = area
    self.address = address
    method = request.method
    self.path = String(path.dropFirst(area.rawValue.count))
    query = FormQuery(lenient: request.query)
    body = try Self.body(of: request)
    bearer = Self.bearer(request.headers["authorization"])
    base = "http://" + (request.headers["host"] ?? "localhost")
    isVersioned = Self.isVersioned(request)
  }

  static func isVersioned(_ request: HTTPRequest) -> Bool {
    request.headers["x-supabase-api-version"] == GoTrueServer.apiVersion
  }

  private static func body(of request: HTTPRequest) throws(GoTrueError) -> JSONObject {
    guard !request.body.isEmpty else { return JSONObject() }
    let type = request.headers["content-type"] ?? ""
    // Those who test type `curl -d`, which says that it sends a form.
    let isForLab = request.path.hasPrefix("/lab/")
    if type.hasPrefix("application/x-www-form-urlencoded"), !isForLab {
      let form = FormQuery(lenient: String(decoding: request.body, as: UTF8.self))
      return JSONObject(form.pairs.map { .init(key: $0.name, value: .text($0.value)) })
    }
    let rules = JSONRules(.json, duplicateKeys: .lastWins)
    do throws(JSONError) {
      if let body = try JSONReader.read(request.body, rules).value.object { return body }
    } catch {
      throw .error(400, .badJSON, "Could not parse request body as JSON: \(error.range)")
    }
    throw .error(400, .badJSON, "Could not parse request body as JSON: no object")
  }

  private static func bearer(_ header: String?) -> String? {
    guard let header, header.lowercased().hasPrefix("bearer ") else { return nil }
    return String(header.dropFirst(7))
  }
}

/// Body, query and bearer hold secrets.
extension GoTrueCall: CustomStringConvertible {
  var description: String { "\(method) \(area.rawValue)\(path)" }
}

/// What a handler answers.
enum GoTrueAnswer {
  case json(JSONValue, status: Int = 200)
  case redirect(String, status: Int)
  case page(String)
  case empty
  /// Nobody ever answers: a person who leaves a page open.
  case silence
}
