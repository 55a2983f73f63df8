import CEvent
import Ports

/// One request on its connection.
@safe final class ClientExchange {
  private let loop: EventLoop
  private let address: LoopbackAddress
  private let connection: OpaquePointer
  private var deadline: Event?
  private var completion: ((Result<HTTPResponse, NetworkError>) -> Void)?

  /// Larger replies are none of an auth server's.
  private static let replyBytesMax = 16 << 20

  init(_ loop: EventLoop, _ address: LoopbackAddress) {
    self.loop = loop
    self.address = address
    let made = unsafe evhttp_connection_base_new(
      loop.base, nil, address.host.rawValue, address.port)
    guard let made = unsafe made else { preconditionFailure("evhttp gave nothing: no memory") }
    unsafe connection = made
    unsafe evhttp_connection_set_max_body_size(connection, Self.replyBytesMax)
  }

  deinit {
    // Takes the request along when it is still under way.
    unsafe evhttp_connection_free(connection)
  }

  /// Sends the request; `completion` is called once, perhaps before this returns.
  func start(
    _ request: HTTPRequest, within time: Duration,
    _ completion: @escaping (Result<HTTPResponse, NetworkError>) -> Void
  ) {
    self.completion = completion
    // The one retain behind the C context; `complete` takes it back.
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    guard let method = Method(rawValue: request.method),
      let message = unsafe evhttp_request_new(takeReply, context)
    else { return complete(.failure(.failed)) }
    let fields = unsafe evhttp_request_get_output_headers(message)
    var headers = request.headers
    if headers["Host"] == nil { headers["Host"] = address.authority }
    headers["Connection"] = "close"
    if !request.body.isEmpty { headers["Content-Length"] = "\(request.body.count)" }
    guard unsafe headers.write(to: fields) else {
      unsafe evhttp_request_free(message)
      return complete(.failure(.failed))
    }
    let body = unsafe evhttp_request_get_output_buffer(message)
    unsafe evbuffer_add(body, request.body, request.body.count)
    deadline = Event(loop, after: time) { [unowned self] in complete(.failure(.timedOut)) }
    let begun = unsafe evhttp_make_request(connection, message, method.command, request.target)
    if begun != 0 { complete(.failure(.failed)) }
  }

  /// - Parameter reply: What evhttp has read; without a status, or `nil`, nothing came.
  fileprivate func take(_ reply: OpaquePointer?) {
    loop.retire(self)
    let status = unsafe reply.map { Int(unsafe evhttp_request_get_response_code($0)) } ?? 0
    guard status > 0 else { return complete(.failure(.failed)) }
    complete(
      .success(
        HTTPResponse(
          status, headers: unsafe HTTPHeaders(evhttp_request_get_input_headers(reply)),
          body: unsafe bytes(of: evhttp_request_get_input_buffer(reply)))))
  }

  private func complete(_ result: Result<HTTPResponse, NetworkError>) {
    guard let completion else { return }
    self.completion = nil
    deadline = nil
    unsafe Unmanaged.passUnretained(self).release()
    completion(result)
  }
}

/// `context` is the exchange, which keeps itself until it is complete.
private func takeReply(_ reply: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  unsafe Unmanaged<ClientExchange>.fromOpaque(context).takeUnretainedValue().take(reply)
}

extension NetworkError {
  /// As React Native's `fetch` says that no reply came.
  static let failed = NetworkError(message: "Network request failed")
  static let timedOut = NetworkError(message: "Network request timed out")
}
