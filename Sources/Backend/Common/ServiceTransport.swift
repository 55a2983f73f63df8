package import Ports

/// A server in the same process: requests reach it at once, and replies as it says.
package final class ServiceTransport: HTTPTransport {
  private let service: any HTTPService
  private let address: String
  private let sleeper: any Sleeper
  private let timeout: Duration

  /// - Parameters:
  ///   - service: The server.
  ///   - address: Where the requests come from.
  ///   - sleeper: How a late reply is waited for, on the side of the client.
  ///   - timeout: When the platform gives up.
  package init(
    _ service: any HTTPService, from address: String, sleeper: any Sleeper,
    timeout: Duration = .seconds(60)
  ) {
    self.service = service
    self.address = address
    self.sleeper = sleeper
    self.timeout = timeout
  }

  package func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    let reply = service.answer(request, from: address)
    switch reply.delivery {
    case .now:
      return reply.response
    case .after(let delay) where delay < timeout:
      try await wait(delay)
      return reply.response
    case .after, .never:
      try await wait(timeout)
      throw Self.failure
    case .cut:
      throw Self.failure
    }
  }

  private func wait(_ duration: Duration) async throws(NetworkError) {
    do {
      try await sleeper.sleep(for: duration)
    } catch {
      throw NetworkError(message: "\(error)")
    }
  }

  private static let failure = NetworkError(message: "Network request failed")
}
