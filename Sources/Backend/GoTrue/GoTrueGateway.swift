package import Ports

/// The gateway in front of a GoTrue server, as far as a browser notices it: which pages may send
/// requests and read replies (CORS). Any page may, with any header; nothing of `/lab` is for pages.
///
/// A preflight is answered by the gateway alone, with status 200, as Kong's plugin does by default;
/// on other replies the server names the headers that a page may read.
package final class GoTrueGateway: HTTPService {
  private let service: any HTTPService

  package init(_ service: any HTTPService) { self.service = service }

  package func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    let isForPages = GoTrueServer.bases.contains { request.path.hasPrefix($0 + "/") }
    guard isForPages, request.headers["Origin"] != nil else {
      return service.answer(request, from: address)
    }
    if request.method == "OPTIONS", request.headers["Access-Control-Request-Method"] != nil {
      return ServerReply(Self.preflight(request))
    }
    var reply = service.answer(request, from: address)
    reply.response.headers["Access-Control-Allow-Origin"] = "*"
    reply.response.headers["Access-Control-Expose-Headers"] =
      "X-Total-Count, Link, X-Supabase-Api-Version"
    reply.response.headers.add("Vary", "Origin")
    return reply
  }

  private static func preflight(_ request: HTTPRequest) -> HTTPResponse {
    var response = HTTPResponse(200)
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Allow-Headers"] =
      request.headers["Access-Control-Request-Headers"]
    response.headers["Access-Control-Allow-Methods"] =
      "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT"
    return response
  }
}
