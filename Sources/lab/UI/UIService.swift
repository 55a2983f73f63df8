import JSON
import Ports

/// What the page's server answers: the page, how the phone is, and wishes of the page.
final class UIService: HTTPService {
  /// Nobody is let in before it is known where the server listens.
  var gate: UIGuard?
  private let watch: UIWatch
  private let desk: UIDesk

  init(_ watch: UIWatch, _ desk: UIDesk) {
    self.watch = watch
    self.desk = desk
  }

  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    ServerReply(response(to: request))
  }

  private func response(to request: HTTPRequest) -> HTTPResponse {
    guard let place = gate?.place(of: request) else {
      return Self.text(403, "text/html; charset=utf-8", PackageResources.forbidden_html)
    }
    let method = place == "api/do" ? "POST" : "GET"
    guard request.method == method || (request.method == "HEAD" && method == "GET") else {
      return Self.problem(405, "\(place) takes \(method)", allow: method)
    }
    switch place {
    case "": return Self.text(200, "text/html; charset=utf-8", PackageResources.page_html)
    case "style.css": return Self.text(200, "text/css", PackageResources.style_css)
    case "script.js": return Self.text(200, "text/javascript", PackageResources.script_js)
    case "show.js": return Self.text(200, "text/javascript", PackageResources.show_js)
    case "api/catalogue": return Self.json(200, UICatalogue.json)
    case "api/view": return Self.json(200, view(seen: request.query))
    case "api/do": return take(request)
    default: return Self.problem(404, "nothing is at /\(place)")
    }
  }

  /// How the phone is; only the version to a page that has seen it.
  private func view(seen query: Substring) -> JSONValue {
    let view = watch.current()
    let version = view.version + desk.version
    if query == "seen=\(version)" { return ["version": .integer(version)] }
    return [
      "schema": "lab.ui/1", "version": .integer(version), "phone": .text(watch.name),
      "problem": view.problem.map { .text($0) } ?? .null, "look": view.look ?? .null,
      "jobs": .list(desk.jobs.map(\.json)),
    ]
  }

  private func take(_ request: HTTPRequest) -> HTTPResponse {
    let kind = request.headers["Content-Type"]?.prefix { $0 != ";" }
    guard kind == "application/json" else {
      return Self.problem(415, "a wish comes as application/json")
    }
    do {
      let order = try UIOrder(String(decoding: request.body, as: UTF8.self))
      guard let id = desk.take(order) else {
        return Self.problem(503, "too much is going on already; wait, or release what is held")
      }
      return Self.json(202, ["job": .integer(id)])
    } catch {
      return Self.problem(400, error.reason)
    }
  }

  // MARK: - Responses

  private static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
    text(status, "application/json", JSONWriter.bytes(of: value))
  }

  private static func problem(
    _ status: Int, _ reason: String, allow method: String? = nil
  ) -> HTTPResponse {
    var response = json(status, ["error": .text(reason)])
    response.headers["Allow"] = method
    return response
  }

  private static func text(_ status: Int, _ type: String, _ body: [UInt8]) -> HTTPResponse {
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    for field in safety { headers.add(field.name, field.value) }
    return HTTPResponse(status, headers: headers, body: body)
  }

  /// Everything comes from this server, nothing is kept, and nobody learns the address.
  private static let safety: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
  ]
}
