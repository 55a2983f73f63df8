package import Ports

/// The way from an app to its server in virtual time: each request takes a while there, and its
/// reply a while back, unless the server says otherwise.
package final class ServiceTransport: HTTPTransport {
  private let service: any HTTPService
  private let address: String
  private let sleeper: any Sleeper
  private let latency: Duration
  private let timeout: Duration
  private let clock: (any WallClock)?

  /// Of a phone in a mobile network.
  package static let phoneLatency = Duration.milliseconds(40)
  package static let phoneAddress = "192.0.2.7"
  /// The header that tells the server what time it is, in milliseconds since 1970.
  package static let timeHeader = "Lab-Time"

  /// - Parameters:
  ///   - service: The server.
  ///   - address: Where the requests come from.
  ///   - sleeper: How a reply is waited for, on the side of the client.
  ///   - latency: How long a request takes to the server, and its reply back.
  ///   - timeout: When the platform gives up.
  ///   - clock: The true time, which each request tells; `nil` where the server knows it.
  package init(
    _ service: any HTTPService, from address: String = phoneAddress, sleeper: any Sleeper,
    latency: Duration = .zero, timeout: Duration = .seconds(60), clock: (any WallClock)? = nil
  ) {
    self.service = service
    self.address = address
    self.sleeper = sleeper
    self.latency = latency
    self.timeout = timeout
    self.clock = clock
  }

  package func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    try await pass(latency)
    var request = request
    if let clock { request.headers[Self.timeHeader] = String(clock.nowMs) }
    let reply = service.answer(request, from: address)
    switch reply.delivery {
    case .now:
      try await pass(latency)
      return reply.response
    case .after(let delay) where delay < timeout:
      try await pass(delay + latency)
      return reply.response
    case .after, .never:
      try await pass(timeout)
      throw Self.failure
    case .cut:
      throw Self.failure
    }
  }

  private func pass(_ duration: Duration) async throws(NetworkError) {
    guard duration > .zero else { return }
    do {
      try await sleeper.sleep(for: duration)
    } catch {
      throw NetworkError(message: "\(error)")
    }
  }

  private static let failure = NetworkError(message: "Network request failed")
}
