import Backend
import Ports
import Simulation

/// The way from the app to its server in virtual time, and what can go wrong on it.
final class SessionNetwork: HTTPService {
  /// How long a request takes to the server, and its reply back.
  static let latency = Duration.milliseconds(40)

  private let server: GoTrueServer
  private let clock: VirtualClock
  private(set) var requestCount = 0
  /// Asked for each request, counted from 1.
  var fault: (_ number: Int, _ request: HTTPRequest) -> SessionFault.Kind? = { _, _ in nil }
  /// When the app asked for tokens, in milliseconds since 1970.
  private(set) var tokenCallsMs: [Int64] = []

  init(_ server: GoTrueServer, _ clock: VirtualClock) {
    self.server = server
    self.clock = clock
  }

  /// As one process sees it.
  func transport(of process: SimulatedProcess) -> any HTTPTransport {
    DistantTransport(
      ServiceTransport(self, from: "192.0.2.7", sleeper: process), sleeper: process)
  }

  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    requestCount += 1
    if request.path.hasSuffix("/token") { tokenCallsMs.append(clock.nowMs) }
    switch fault(requestCount, request) {
    case nil: return server.answer(request, from: address)
    case .loseRequest: return ServerReply(HTTPResponse(0), .cut)
    case .loseReply: return ServerReply(server.answer(request, from: address).response, .cut)
    case .limit: return ServerReply(.refusal(429, "over_request_rate_limit"))
    case .failure: return ServerReply(.refusal(500, "unexpected_failure"))
    case .kill, .powerCut, .lock, .clock: preconditionFailure("hits no request")
    }
  }
}

/// A transport over a way that takes time.
private final class DistantTransport: HTTPTransport {
  private let transport: any HTTPTransport
  private let sleeper: any Sleeper

  init(_ transport: any HTTPTransport, sleeper: any Sleeper) {
    self.transport = transport
    self.sleeper = sleeper
  }

  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    try await pass()
    let response = try await transport.send(request)
    try await pass()
    return response
  }

  private func pass() async throws(NetworkError) {
    do throws(ProcessGone) {
      try await sleeper.sleep(for: SessionNetwork.latency)
    } catch {
      throw NetworkError(message: "\(error)")
    }
  }
}

extension HTTPResponse {
  fileprivate static func refusal(_ status: Int, _ code: String) -> HTTPResponse {
    var response = HTTPResponse(
      status, body: Array(#"{"code":"\#(code)","message":"refused"}"#.utf8))
    response.headers["Content-Type"] = "application/json"
    response.headers["X-Supabase-Api-Version"] = "2024-01-01"
    return response
  }
}
