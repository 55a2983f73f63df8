import CEvent
import Linux
import Ports

/// A request that is owed a reply, or an end.
@safe private struct OpenRequest {
  let handle: OpaquePointer
  let connection: ServerConnection
  let message: HTTPRequest
  let beganNs: Int64
}

/// A request's way to the service, and its reply's way back.
extension HTTPServer {
  /// Takes a request that evhttp has read.
  func take(_ handle: OpaquePointer) {
    let link = unsafe evhttp_request_get_connection(handle)
    guard let channel = unsafe evhttp_connection_get_bufferevent(link),
      let connection = unsafe connections[channel],
      let message = unsafe Self.message(handle)
    else { return unsafe evhttp_send_error(handle, 500, nil) }
    connection.hasReceived = false
    connection.phase = .answering
    let request = unsafe OpenRequest(
      handle: handle, connection: connection, message: message, beganNs: Clocks.monotonicNs)
    let reply =
      unsafe Self.refusal(of: message) ?? service.answer(message, from: Self.peer(of: link))
    deliver(reply, to: request)
  }

  /// Ends the connection of a request that gets no reply.
  func hangUp(_ handle: OpaquePointer) {
    unsafe evhttp_connection_free(evhttp_request_get_connection(handle))
  }

  private func deliver(_ reply: ServerReply, to request: OpenRequest) {
    switch reply.delivery {
    case .now: send(reply.response, to: request)
    case .after(let delay):
      unsafe lateReplies[request.handle] = Event(loop, after: max(delay, .zero)) { [unowned self] in
        unsafe lateReplies[request.handle] = nil
        send(reply.response, to: request)
      }
    case .never:
      unsafe request.connection.phase = .silent(request.handle)
      tell(request, nil)
    case .cut:
      unsafe hangUp(request.handle)
      tell(request, nil)
    }
  }

  private func tell(_ request: OpenRequest, _ status: Int?) {
    report(
      Exchange(
        method: request.message.method, path: Self.printable(request.message.path), status: status,
        duration: .nanoseconds(Clocks.monotonicNs - request.beganNs)))
  }

  /// A request that nobody could make out.
  func tellRefusal(_ status: Int, _ connection: ServerConnection) {
    var duration = Duration.zero
    if case .waiting(let since) = connection.phase {
      duration = .nanoseconds(Clocks.monotonicNs - since)
    }
    report(Exchange(method: "-", path: "-", status: status, duration: duration))
  }

  private func send(_ response: HTTPResponse, to request: OpenRequest) {
    request.connection.phase = .waiting(sinceNs: Clocks.monotonicNs)
    request.connection.isReplying = true
    defer { request.connection.isReplying = false }
    let fields = unsafe evhttp_request_get_output_headers(request.handle)
    var headers = response.headers
    if stoppingSinceNs != nil { headers["Connection"] = "close" }
    let isHead = request.message.method == Method.head.rawValue
    if isHead, headers["Content-Length"] == nil {
      headers["Content-Length"] = "\(response.body.count)"
    }
    guard unsafe headers.write(to: fields) else {
      unsafe evhttp_clear_headers(fields)
      unsafe evhttp_send_error(request.handle, 500, nil)
      return tell(request, 500)
    }
    let body = unsafe evbuffer_new()
    defer { unsafe evbuffer_free(body) }
    if !isHead { unsafe evbuffer_add(body, response.body, response.body.count) }
    unsafe evhttp_send_reply(request.handle, Int32(clamping: response.status), nil, body)
    tell(request, response.status)
  }

  // MARK: - Reading

  private static func message(_ request: OpaquePointer) -> HTTPRequest? {
    guard let method = unsafe Method(evhttp_request_get_command(request)),
      let target = unsafe evhttp_request_get_uri(request)
    else { return nil }
    return HTTPRequest(
      method.rawValue, unsafe String(cString: target),
      headers: unsafe HTTPHeaders(evhttp_request_get_input_headers(request)),
      body: unsafe bytes(of: evhttp_request_get_input_buffer(request)))
  }

  private static func peer(of link: OpaquePointer?) -> String {
    var name: UnsafeMutablePointer<CChar>?
    var port: UInt16 = 0
    unsafe evhttp_connection_get_peer(link, &name, &port)
    return unsafe name.map { unsafe String(cString: $0) } ?? ""
  }

  /// The reply to a request that is not what it says it is, where evhttp takes one meaning of several.
  private static func refusal(of request: HTTPRequest) -> ServerReply? {
    let lengths = request.headers.values(of: "Content-Length")
    let codings = request.headers.values(of: "Transfer-Encoding")
    let isPrintable = request.target.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    if lengths.count + codings.count > 1 || !isPrintable { return refused(400) }
    if let coding = codings.first, coding.lowercased() != "chunked" { return refused(501) }
    return nil
  }

  /// The path as far as it holds no secret and nothing that a terminal obeys: a target may also be a
  /// whole address with a password in it, and an escape or a fragment may begin what a query holds.
  private static func printable(_ path: Substring) -> String {
    guard path.hasPrefix("/"), !path.hasPrefix("//") else { return "?" }
    let shown = path.utf8.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "%") }
    return String(decoding: shown.map { (0x21...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }

  private static func refused(_ status: Int) -> ServerReply {
    var headers = HTTPHeaders()
    headers["Connection"] = "close"
    return ServerReply(HTTPResponse(status, headers: headers))
  }
}
