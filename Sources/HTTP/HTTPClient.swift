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
