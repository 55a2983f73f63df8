import Ports

extension ServerReply {
  /// The reply made another, in the ways that are the same for every server.
  mutating func change(by effect: ServerFault.Effect) {
    switch effect {
    case .loseReply: delivery = .cut
    case .hang: delivery = .never
    case .lateReply(let ms): delivery = .after(.milliseconds(ms))
    case .htmlReply: setPage()
    case .emptyReply: response.body = []
    case .cutReply: response.body.removeLast(response.body.count / 2)
    case .loseRequest, .refuse, .errorReply, .noVersion, .numberCode, .textCode, .expiredTokens,
      .changeAddress, .serverClock, .elsewhere:
      break
    }
  }

  /// The page that a portal shows in a server's place.
  static func page(status: Int) -> ServerReply {
    var reply = ServerReply(HTTPResponse(status))
    reply.setPage()
    return reply
  }

  private mutating func setPage() {
    response.body = Array("<html><body>Not the page of the server</body></html>".utf8)
    response.headers["Content-Type"] = "text/html"
  }
}
