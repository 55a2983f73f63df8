import Backend
import Ports
import Simulation

/// The way from the app to its server in virtual time, and what can go wrong on it.
final class SessionNetwork {
  /// How long a request takes to the server, and its reply back.
  static let latency = Duration.milliseconds(40)
  /// When the platform gives a request up.
  static let patience = Duration.seconds(60)

  private let server: GoTrueServer
  private let address = "192.0.2.7"
  private(set) var requestCount = 0
  /// Asked for each request, counted from 1.
  var fault: (_ number: Int) -> SessionFault.Kind? = { _ in nil }
  /// When the app asked for tokens, in milliseconds since 1970.
  private(set) var tokenCallsMs: [Int64] = []

  init(_ server: GoTrueServer) { self.server = server }

  /// As one process sees it.
  func transport(of process: SimulatedProcess, _ clock: VirtualClock) -> any HTTPTransport {
    Transport(self, process, clock)
  }

  private func answer(_ request: HTTPRequest, atMs now: Int64) throws(NetworkError) -> ServerReply {
    requestCount += 1
    if request.path.hasSuffix("/token") { tokenCallsMs.append(now) }
    switch fault(requestCount) {
    case nil: return server.answer(request, from: address)
    case .loseRequest: throw .failed
    case .loseReply:
      _ = server.answer(request, from: address)
      throw .failed
    case .limit: return ServerReply(.refusal(429, "over_request_rate_limit"))
    case .failure: return ServerReply(.refusal(500, "unexpected_failure"))
    case .kill, .powerCut, .lock, .clock: preconditionFailure("hits no request")
    }
  }

  private final class Transport: HTTPTransport {
    private let network: SessionNetwork
    private let process: SimulatedProcess
    private let clock: VirtualClock

    init(_ network: SessionNetwork, _ process: SimulatedProcess, _ clock: VirtualClock) {
      self.network = network
      self.process = process
      self.clock = clock
    }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
      try await pass(SessionNetwork.latency)
      let reply = try network.answer(request, atMs: clock.nowMs)
      switch reply.delivery {
      case .now: try await pass(SessionNetwork.latency)
      case .after(let delay): try await pass(delay + SessionNetwork.latency)
      case .never:
        try await pass(SessionNetwork.patience)
        throw .failed
      case .cut: throw .failed
      }
      return reply.response
    }

    private func pass(_ time: Duration) async throws(NetworkError) {
      do throws(ProcessGone) {
        try await process.sleep(for: time)
      } catch {
        throw .failed
      }
    }
  }
}

extension NetworkError {
  /// As React Native's `fetch` says it.
  fileprivate static let failed = NetworkError(message: "Network request failed")
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
