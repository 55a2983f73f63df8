package import Linux
package import Ports

/// Sends requests to a server on loopback, over a connection of its own each.
///
/// The caller's executor has to turn the loop while it has nothing else to do.
package final class HTTPClient: HTTPTransport {
  private let loop: EventLoop
  private let address: LoopbackAddress
  private let timeLimit: Duration

  /// - Parameters:
  ///   - loop: The loop of the thread that sends.
  ///   - address: The server.
  ///   - timeLimit: How long a request may take as a whole.
  package init(
    _ loop: EventLoop, _ address: LoopbackAddress, timeLimit: Duration = .seconds(60)
  ) {
    self.loop = loop
    self.address = address
    self.timeLimit = timeLimit
  }

  package func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    let result = await withCheckedContinuation { continuation in
      ClientExchange(loop, address).start(request, within: timeLimit) {
        continuation.resume(returning: $0)
      }
    }
    return try result.get()
  }

  /// Sends one request and turns the loop until the reply is there; for a thread with nothing else to do.
  ///
  /// - Throws: `NetworkError` when no reply came.
  package func reply(to request: HTTPRequest) throws(NetworkError) -> HTTPResponse {
    var result: Result<HTTPResponse, NetworkError>?
    ClientExchange(loop, address).start(request, within: timeLimit) { result = $0 }
    while true {
      if let result { return try result.get() }
      loop.turn()
    }
  }
}

/// The same for a caller that does nothing else meanwhile.
package final class BlockingHTTPClient {
  private let loop: EventLoop
  private let address: LoopbackAddress

  /// - Throws: `SystemError` when the machine has no descriptor left.
  package init(_ address: LoopbackAddress) throws(SystemError) {
    loop = try EventLoop()
    self.address = address
  }

  /// Sends a request and waits for the reply, a minute at most.
  ///
  /// - Throws: `NetworkError` when none came.
  package func send(_ request: HTTPRequest) throws(NetworkError) -> HTTPResponse {
    var result: Result<HTTPResponse, NetworkError>?
    ClientExchange(loop, address).start(request, within: .seconds(60)) { result = $0 }
    while true {
      if let result { return try result.get() }
      loop.turn()
    }
  }
}
