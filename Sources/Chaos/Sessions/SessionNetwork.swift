import Backend
import Ports
import Simulation

/// The way from the app to its server in virtual time, and what can go wrong on it.
final class SessionNetwork: HTTPService {
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
    ServiceTransport(self, sleeper: process, latency: ServiceTransport.phoneLatency)
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

extension HTTPResponse {
  fileprivate static func refusal(_ status: Int, _ code: String) -> HTTPResponse {
    var response = HTTPResponse(
      status, body: Array(#"{"code":"\#(code)","message":"refused"}"#.utf8))
    response.headers["Content-Type"] = "application/json"
    response.headers["X-Supabase-Api-Version"] = "2024-01-01"
    return response
  }
}
