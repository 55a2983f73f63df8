import JSON
package import Ports
package import Wire

/// A whole app whose session a Better-Auth-like server gives, by way of a page in the browser.
///
/// One launch: whatever it has in memory is gone with it. Not `Sendable`: one process, one app.
package final class HandOffApp: CommandedApp {
  /// The web app that the pages belong to, and whose list both sides trust.
  package static let webURL = "https://web.example.com"
  package static let trust = TrustSettings(
    scheme: "labdemo", allowedOrigins: "https://app.example.com", isProduction: true)
  /// Where the jar lies.
  package static let item = "lab.auth_cookie"

  private let client: BetterAuthClient
  private let handOff: HandOff
  private let clock: SkewedClock
  private let isHardened: Bool
  package private(set) var isStarted = false

  /// - Parameters:
  ///   - profile: Of the app and its client.
  ///   - jar: How its client stores.
  ///   - secure: Where.
  ///   - process: What the app runs in.
  ///   - browser: The system's.
  ///   - network: The way to the server, the clock and the client's own randomness.
  ///   - console: What it prints on.
  package init(
    _ profile: AppProfile, jar: BetterAuthBehaviour, _ secure: any SecureStorage,
    in process: any Spawner & Sleeper, browser: any Browser, _ network: ClientNetwork,
    console: any Console
  ) {
    isHardened = profile == .hardened
    clock = network.clock
    client = BetterAuthClient(
      BetterAuthSetup(
        apiURL: Self.webURL, trust: Self.trust, storagePrefix: "lab.auth",
        behaviour: isHardened ? .hardened : jar),
      BetterAuthPorts(
        transport: network.transport, secure: secure, browser: browser, clock: clock,
        console: console, spawner: process))
    handOff = HandOff(
      client, isHardened ? .hardened : .seed, entropy: network.entropy, sleeper: process)
  }

  package func start() async {
    isStarted = true
    do throws(BetterAuthError) {
      try await client.start()
    } catch {
      client.ports.console.warn("the cached session cannot be read: \(error)")
    }
    await client.refetchOnFocus()
  }

  package func perform(_ command: ClientCommand) async -> String? {
    do throws(BetterAuthError) {
      switch command {
      case .look: break
      case .signIn: return Self.failure(await handOff.signIn())
      case .open(let url): return Self.failure(await handOff.accept(url))
      case .read, .refresh: try await client.getSession()
      case .signOut: try await client.signOut()
      case .become(.active): await client.refetchOnFocus()
      case .become: break
      case .setClock(let ms): clock.aheadMs = ms
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func failure(_ outcome: HandOffOutcome) -> String? {
    switch outcome {
    case .signedIn: nil
    case .cancelled: "cancelled"
    case .failed(let failure): failure.rawValue
    }
  }

  package func view(failure: String?, nowMs: Int64) -> ClientView {
    let state = client.session
    let session = state.data.flatMap(ClientView.ShownSession.init)
    var status = AuthStatus.unauthenticated
    if session != nil {
      status = .authenticated
    } else if state.isPending, state.error == nil {
      status = .loading
    }
    var view = ClientView(status, nowMs: nowMs)
    view.isDeferred = isHardened && session == nil && state.error != nil
    view.failure = failure
    view.session = session
    return view
  }
}

extension ClientView.ShownSession {
  /// What `get-session` said.
  fileprivate init?(_ data: OrderedJSON) {
    guard let user = data["user"]?["id"]?.text, let id = data["session"]?["id"]?.text,
      let token = data["session"]?["token"]?.text,
      let end = data["session"]?["expiresAt"]?.text.flatMap({ Instant($0) }),
      let digest = try? ClientView.digest(ofToken: token)
    else { return nil }
    self.init(user: user, id: id, tokenDigest: digest, expiresMs: end.ms)
  }
}
