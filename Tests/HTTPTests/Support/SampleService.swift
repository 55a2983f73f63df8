import Ports

/// Says what it was asked, or does with the reply what the path wants.
final class SampleService: HTTPService {
  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    switch request.path {
    case "/late": return ServerReply(Self.text("late"), .after(.milliseconds(200)))
    case "/never": return ServerReply(Self.text("lost"), .never)
    case "/cut": return ServerReply(Self.text("lost"), .cut)
    case "/empty": return ServerReply(HTTPResponse(204))
    case "/big": return ServerReply(HTTPResponse(200, body: Array(repeating: 0x62, count: 8 << 20)))
    case "/broken":
      var headers = HTTPHeaders()
      headers["Location"] = "there\r\nSet-Cookie: stolen=1"
      return ServerReply(HTTPResponse(302, headers: headers))
    default:
      let body = String(decoding: request.body, as: UTF8.self)
      var reply = Self.text("\(request.method) \(request.target) from \(address): \(body)")
      for value in request.headers.values(of: "X-Echo") { reply.headers.add("X-Echo", value) }
      return ServerReply(reply)
    }
  }

  private static func text(_ text: String) -> HTTPResponse {
    var headers = HTTPHeaders()
    headers["Content-Type"] = "text/plain"
    return HTTPResponse(200, headers: headers, body: Array(text.utf8))
  }
}
