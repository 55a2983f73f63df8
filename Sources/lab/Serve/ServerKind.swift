import Backend
import Chaos
import Machine
import Ports

/// The servers that `lab serve` can be.
enum ServerKind: String, CaseIterable {
  case gotrue

  /// Where its clients send their requests to, below the address.
  var path: String {
    switch self {
    case .gotrue: "/auth/v1"
    }
  }

  /// Makes the server, with the machine's clock and random bytes.
  ///
  /// - Parameters:
  ///   - path: The file that holds what it remembers; `nil` keeps that in memory.
  ///   - complain: Told when something could not be kept.
  /// - Returns: The server.
  /// - Throws: The error of a file that cannot be used.
  func makeService(
    state path: String?, complain: @escaping (String) -> Void
  ) throws -> any HTTPService {
    let file = try path.map { try StateFile($0, kind: rawValue) }
    switch self {
    case .gotrue:
      let server = GoTrueServer(
        Self.goTrueSettings, state: try file?.load(GoTrueState.init(stored:)),
        clock: MachineClock(), entropy: SystemEntropy())
      let desk = FaultDesk(server)
      guard let file else { return desk }
      return KeptService(desk, in: file, { server.state.stored }, complain: complain)
    }
  }

  /// Those of the vendor's local server, with an outbox that takes any number of mails; limits by
  /// address need a header that nobody sets here.
  private static var goTrueSettings: GoTrueSettings {
    var settings = GoTrueSettings.commandLine
    settings.mailLimit.count = 100_000
    settings.mailLimit.burst = 100_000
    settings.limitsAddresses = false
    return settings
  }
}
