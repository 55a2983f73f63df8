package import Ports

/// A whole app whose session a GoTrue-like server gives: the client, its status, guards and screens.
///
/// One launch: whatever it has in memory is gone with it. Not `Sendable`: one process, one app.
package final class ClientApp {
  package let client: AuthClient
  package let provider: AuthProvider
  package let navigator = Navigator(at: .signIn)
  package let context: FlowContext
  /// The screen that the person looks at: it lives until there is another.
  package var screen: AnyObject?
  private let lifecycle: StandingLifecycle
  private let clock: SkewedClock
  /// Whether its process is there: what a dead one still does, nobody sees.
  package var isSeen: () -> Bool = { true }
  private var invariants = StatusInvariants()
  /// What guards saw that they must never see.
  package private(set) var violations: [StatusInvariants.Violation] = []
  /// How often the client has told its listeners of a sign-out.
  private var signedOutCount = 0
  package private(set) var isStarted = false

  /// Makes the app; ``start()`` starts it.
  ///
  /// - Parameters:
  ///   - settings: Of the client; the app above it has the same profile.
  ///   - ports: What the client touches.
  ///   - storage: Where the recovery marker lies.
  ///   - clock: The phone's.
  ///   - lifecycle: Whether the person sees the app.
  package init(
    _ settings: AuthSettings, _ ports: AuthPorts, storage: any PlainStorage, clock: SkewedClock,
    lifecycle: StandingLifecycle
  ) {
    self.clock = clock
    self.lifecycle = lifecycle
    client = AuthClient(settings, ports)
    provider = AuthProvider(
      client,
      ProviderPorts(
        storage: storage, console: ports.console, spawner: ports.spawner, sleeper: ports.sleeper,
        lifecycle: lifecycle),
      cache: QueryCache(), settings.isHardened ? .hardened : .seed)
    context = FlowContext(
      client, provider, navigator, spawner: ports.spawner, sleeper: ports.sleeper, clock: clock,
      console: ports.console)
    provider.onStep { [unowned self] input, effects, frame in
      guard isSeen() else { return }
      if case .event(.signedOut, _) = input { signedOutCount += 1 }
      violations += invariants.observe(input, effects, frame)
    }
    provider.onFrame { [navigator] in navigator.settle($0) }
  }

  package var frame: AuthFrame { provider.frame }

  /// Subscribes and looks for a stored session. Returns before that has been read.
  package func start() {
    isStarted = true
    provider.start()
  }

  package func become(_ state: AppState) { lifecycle.state = state }
}

extension ClientApp: CommandedApp {
  package func perform(_ command: ClientCommand) async -> String? {
    do throws(AuthError) {
      switch command {
      case .look: break
      case .signIn(let credentials):
        let flow = SignInFlow(context)
        screen = flow
        await flow.submit(credentials)
        return flow.attempt.alert?.text
      case .read: _ = try await client.getSession()
      case .refresh: _ = try await client.refreshSession()
      case .signOut: await provider.signOut()
      case .become(let state): become(state)
      case .setClock(let ms): clock.aheadMs = ms
      case .open: return "this app takes no address"
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  package func view(failure: String?, nowMs: Int64) -> ClientView {
    let frame = frame
    var view = ClientView(frame.status, nowMs: nowMs)
    view.isRecovering = frame.isRecovering
    view.isDeferred = frame.isDeferred
    view.signedOutCount = signedOutCount
    view.violations = violations.map(\.rawValue)
    view.failure = failure
    view.session = frame.session.flatMap(ClientView.ShownSession.init)
    return view
  }
}

// MARK: - On a phone

extension ClientApp {
  /// Makes the app over the halves of a phone.
  ///
  /// - Parameters:
  ///   - settings: Of the client.
  ///   - kind: The store that the session lies in.
  ///   - halves: What the store touches; its moments S0, S1 and E1 are announced there.
  ///   - storeSettings: Of the store.
  ///   - process: What the app runs in.
  ///   - network: The way to the server, the clock and the client's own randomness.
  ///   - state: Whether the person sees the app.
  ///   - announces: Whether the moments are announced. They count as operations of the device.
  /// - Throws: ``StoreError/cipher(_:)`` when the crypto library does not start.
  package convenience init(
    _ settings: AuthSettings, _ kind: StoreKind, on halves: StorePorts,
    _ storeSettings: StoreSettings, in process: any Spawner & Sleeper, _ network: ClientNetwork,
    state: AppState = .active, announces: Bool = true
  ) throws(StoreError) {
    let lifecycle = StandingLifecycle(state)
    var seen = halves
    seen.isInForeground = { lifecycle.state == .active }
    let plain = try kind.make(seen, storeSettings)
    let store = announces ? TracedStore(plain, item: settings.storageKey, halves.trace) : plain
    self.init(
      settings,
      AuthPorts(
        store: store, transport: network.transport, clock: network.clock, sleeper: process,
        spawner: process, entropy: network.entropy, console: halves.console),
      storage: halves.plain, clock: network.clock, lifecycle: lifecycle)
    guard announces else { return }
    provider.onStep { [trace = halves.trace] input, _, _ in
      if case .event = input { trace.reach(.eventEmitted) }
    }
  }
}

/// What a client has beside its phone.
package struct ClientNetwork {
  package var transport: any HTTPTransport
  /// The phone's.
  package var clock: SkewedClock
  package var entropy: any Entropy

  package init(transport: any HTTPTransport, clock: SkewedClock, entropy: any Entropy) {
    self.transport = transport
    self.clock = clock
    self.entropy = entropy
  }
}

/// Announces where a save of the session begins, and where it is acknowledged.
private final class TracedStore: SessionStore {
  private let store: any SessionStore
  private let item: String
  private let trace: any TracePoint

  init(_ store: any SessionStore, item: String, _ trace: any TracePoint) {
    self.store = store
    self.item = item
    self.trace = trace
  }

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    try await store.item(name)
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    guard name == item else { return try await store.setItem(name, to: value) }
    trace.reach(.saveBegins)
    try await store.setItem(name, to: value)
    trace.reach(.saveAcknowledged)
  }

  func removeItem(_ name: String) async throws(StoreError) { try await store.removeItem(name) }
}
