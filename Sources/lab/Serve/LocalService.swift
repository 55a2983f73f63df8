import Ports

/// A server for clients that name this machine: a page in a browser that had its own name resolved to
/// loopback gets nothing, and no page gets to what is below `/lab`.
final class LocalService: HTTPService {
  private let service: any HTTPService

  init(_ service: any HTTPService) { self.service = service }

  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    guard let host = request.headers["Host"], Self.isLocal(host) else {
      return ServerReply(HTTPResponse(403))
    }
    // Browsers send it with every request of a page that could change something.
    if request.path.hasPrefix("/lab/"), request.headers["Origin"] != nil {
      return ServerReply(HTTPResponse(403))
    }
    return service.answer(request, from: address)
  }

  /// Emulators of Android reach their machine as `10.0.2.2`.
  private static func isLocal(_ host: String) -> Bool {
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : nil
    let name = end.map { host[..<$0] } ?? host.prefix { $0 != ":" }
    return ["127.0.0.1", "[::1]", "localhost", "10.0.2.2"].contains(name.lowercased())
  }
}
