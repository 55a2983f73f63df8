package import Ports

/// What distinguishes one run of the reference app from another.
package struct AppSettings: Equatable, Sendable {
  /// The name of the session's item, the same in both halves.
  package var sessionItem: String
  /// Whose sessions are made.
  package var user: String
  package var size: SessionText.Size
  package var sdk: SDKVersion
  /// Whether the app brings the hash that React Native alone has not.
  package var hasWebCrypto = false
  package var store: StoreSettings
  /// Counts the processes that write to one acknowledgement log.
  package var launch: Int

  package init(
    sessionItem: String = "sb-demo-auth-token", user: String = "ada",
    size: SessionText.Size = .standard, sdk: SDKVersion = .current,
    store: StoreSettings = StoreSettings(), launch: Int = 1
  ) {
    self.sessionItem = sessionItem
    self.user = user
    self.size = size
    self.sdk = sdk
    self.store = store
    self.launch = launch
  }
}

/// Which server an app signs in at, and with which client.
package enum AppBackend: String, CaseIterable, Sendable {
  case gotrue
  case betterAuth = "better-auth"
}

extension AppSettings {
  /// An app with its client.
  ///
  /// - Parameters:
  ///   - profile: Of the app and its client.
  ///   - backend: Which client.
  ///   - kind: The store of the session; Better Auth's client has its own.
  ///   - halves: What stores touch.
  ///   - process: What the app runs in.
  ///   - browser: The system's.
  ///   - network: The way to the server, the clock and the client's own randomness.
  ///   - state: Whether the person sees the app.
  /// - Returns: The app, not started.
  /// - Throws: ``StoreError/cipher(_:)`` when the crypto library does not start.
  package func app(
    _ profile: AppProfile, _ backend: AppBackend, _ kind: StoreKind, on halves: StorePorts,
    in process: any Spawner & Sleeper, browser: any Browser, _ network: ClientNetwork,
    state: AppState
  ) throws(StoreError) -> any CommandedApp {
    switch backend {
    case .gotrue:
      return try ClientApp(
        client(profile), kind, on: halves, store, in: process, network, state: state)
    case .betterAuth:
      return HandOffApp(
        profile, jar: store.jar, halves.secure, in: process, browser: browser, network,
        console: halves.console)
    }
  }

  /// What the client of a GoTrue-like server is made with.
  package func client(_ profile: AppProfile) -> AuthSettings {
    var client = AuthSettings(
      baseURL: "https://demo.example/auth/v1", anonKey: "public", storageKey: sessionItem,
      profile: profile == .seed ? .seed : .hardened)
    client.sdk = sdk
    client.hasWebCrypto = hasWebCrypto
    return client
  }
}
