import Backend
import Chaos
import JSON
import Machine
import Ports

/// The servers that `lab serve` can be.
enum ServerKind: String, CaseIterable {
  case gotrue
  case betterAuth = "better-auth"

  /// Where its clients send their requests to, below the address.
  var path: String {
    switch self {
    case .gotrue: "/auth/v1"
    case .betterAuth: "/api/auth"
    }
  }

  /// What the greeting says of keys and secrets.
  func secrets(keptIn file: String?) -> String {
    let place = file.map { "in \($0)" } ?? "in memory"
    return switch self {
    case .gotrue: "keys    any public key will do; the server's own are \(place)"
    case .betterAuth: "secret  the server's own, \(place)"
    }
  }

  /// Makes the server, with the machine's clock and random bytes.
  ///
  /// - Parameters:
  ///   - options: How it is to behave.
  ///   - path: The file that holds what it remembers; `nil` keeps that in memory.
  ///   - complain: Told when something could not be kept.
  /// - Returns: The server.
  /// - Throws: The error of a file that cannot be used.
  func makeService(
    _ options: ServerOptions, state path: String?, complain: @escaping (String) -> Void
  ) throws -> ServedService {
    let file = try path.map { try StateFile($0, kind: rawValue) }
    switch self {
    case .gotrue:
      let server = GoTrueServer(
        options.goTrue, state: try file?.load(GoTrueState.init(stored:)),
        clock: MachineClock(), entropy: SystemEntropy())
      if let ahead = options.clockAheadMs { server.state.skewMs = ahead }
      return ServedService(server, in: file, { server.state.stored }, complain) {
        GoTrueGateway($0)
      }
    case .betterAuth:
      let place = ServedPlace()
      let server = BetterAuthServer(
        try file?.load(BetterAuthState.init(stored:)), clock: MachineClock(),
        entropy: SystemEntropy()
      ) {
        var environment = options.betterAuth
        if environment.baseURL.isEmpty { environment.baseURL = place.url }
        return environment
      }
      if let ahead = options.clockAheadMs { server.state.skewMs = ahead }
      return ServedService(server, in: file, { server.state.stored }, complain, at: place)
    }
  }
}

/// Where a server is reached, as soon as that is known.
final class ServedPlace {
  var url = ""
}

/// A server with what stands in front of it.
struct ServedService {
  let server: any FaultyService
  /// For clients on this machine.
  let front: any HTTPService
  let place: ServedPlace

  /// - Parameters:
  ///   - server: What is served.
  ///   - file: Where its document is kept, if anywhere.
  ///   - document: What it remembers now.
  ///   - complain: Told when that could not be kept.
  ///   - place: Told where it is reached.
  ///   - gateway: What stands before all that is the server's own.
  init(
    _ server: any FaultyService, in file: StateFile?, _ document: @escaping () -> JSONValue,
    _ complain: @escaping (String) -> Void, at place: ServedPlace = ServedPlace(),
    behind gateway: (any HTTPService) -> any HTTPService = { $0 }
  ) {
    self.server = server
    self.place = place
    let desk = FaultDesk(server)
    let kept: any HTTPService =
      file.map { KeptService(desk, in: $0, document, complain: complain) } ?? desk
    front = LocalService(gateway(kept))
  }

  /// What was armed and has met no request.
  var neverFired: [String] {
    server.faults.entries.filter { $0.fired == 0 }.map { "\($0.fault)" }
  }
}
