package import Ports

/// What the provider needs of its surroundings.
package struct ProviderPorts {
  package var storage: any PlainStorage
  package var console: any Console
  package var spawner: any Spawner
  package var sleeper: any Sleeper
  package var lifecycle: any AppLifecycle

  package init(
    storage: any PlainStorage, console: any Console, spawner: any Spawner, sleeper: any Sleeper,
    lifecycle: any AppLifecycle
  ) {
    self.storage = storage
    self.console = console
    self.spawner = spawner
    self.sleeper = sleeper
    self.lifecycle = lifecycle
  }
}

/// Runs the status machine over the auth client: the one subscriber of the whole app.
///
/// The listener that it gives to the client steps the machine and returns; it never calls the client,
/// which may hold its lock. Everything else is spawned.
package final class AuthProvider {
  /// How long `hardened` lets the person wait for the first `getSession()`.
  package static let primingMax = Duration.seconds(5)

  package let profile: AppProfile
  package let cache: QueryCache
  private let auth: any AuthCalls
  private let ports: ProviderPorts
  private let marker: RecoveryMarker
  private let autoRefresh: AutoRefresh
  private var machine: StatusMachine
  private var subscriptions: [() -> Void] = []
  private var listeners: [(AuthFrame) -> Void] = []
  private var observers: [(StatusInput, [StatusEffect], AuthFrame) -> Void] = []
  /// A sign-out that the client did not carry through.
  private var owesSignOut = false
  private var signedOutCount = 0

  package init(
    _ auth: any AuthCalls, _ ports: ProviderPorts, cache: QueryCache, _ profile: AppProfile
  ) {
    self.auth = auth
    self.ports = ports
    self.cache = cache
    self.profile = profile
    marker = RecoveryMarker(ports.storage, ports.spawner, ports.console, profile)
    autoRefresh = AutoRefresh(auth, ports.spawner)
    machine = StatusMachine(profile)
  }

  package var frame: AuthFrame { machine.frame }
  package var status: AuthStatus { frame.status }
  package var session: AuthSession? { frame.session }
  package var isRecovering: Bool { frame.isRecovering }

  /// Adds a screen or guard. It is shown each frame that differs from the one before.
  package func onFrame(_ listener: @escaping (AuthFrame) -> Void) { listeners.append(listener) }

  /// Adds an observer of the machine: it is told of each step.
  package func onStep(
    _ observer: @escaping (StatusInput, [StatusEffect], AuthFrame) -> Void
  ) {
    observers.append(observer)
  }

  /// Subscribes, looks for a stored session, and ties the refresh ticker to the app's state.
  package func start() {
    precondition(subscriptions.isEmpty, "the app has one subscription")
    subscriptions.append(
      auth.onAuthStateChange { [unowned self] event, session in
        if event == .signedOut { signedOutCount += 1 }
        take(.event(event, session))
      })
    subscriptions.append(ports.lifecycle.onChange { [unowned self] in stateChanged(to: $0) })
    autoRefresh.follow(ports.lifecycle.state)
    run(machine.beginning)
    if profile == .hardened { limitPriming() }
  }

  /// Ends both subscriptions, as unmounting does.
  package func stop() {
    for end in subscriptions { end() }
    subscriptions = []
  }

  /// Asks the client to sign out. Cache and marker are cleared by what the client then tells.
  ///
  /// In the profile `seed`, a client that cannot sign out leaves everything as it is. `hardened` then
  /// signs out the screens, and asks the client again whenever the app comes to the front.
  package func signOut() async {
    let heard = signedOutCount
    do throws(AuthError) {
      try await auth.signOut()
      owesSignOut = false
    } catch {
      ports.console.warn("sign-out failed: \(error)")
      owesSignOut = profile == .hardened
    }
    if profile == .hardened, signedOutCount == heard { take(.signOutUnheard) }
  }

  // MARK: What screens of recovery tell

  /// A code of a password reset is about to be checked: the session that it may bring is marked
  /// before it exists. Does nothing in the profile `seed`.
  package func recoveryExpected() async {
    if profile == .hardened { await marker.write(StatusMachine.pendingMarker) }
  }

  /// The code was refused.
  package func recoveryRefused() {
    if profile == .hardened, !frame.isRecovering { marker.set(nil) }
  }

  /// The person set a new password. In the profile `seed` the event of any update says so.
  package func passwordChanged() {
    if profile == .hardened { take(.passwordChanged) }
  }

  // MARK: Steps

  private func take(_ input: StatusInput) {
    let before = frame
    let effects = machine.take(input)
    // First, so that no screen of the new frame finds what the old one left.
    if effects.contains(.clearCache) { cache.clear() }
    let frame = frame
    for observer in observers { observer(input, effects, frame) }
    if frame != before { for listener in listeners { listener(frame) } }
    run(effects)
  }

  private func run(_ effects: [StatusEffect]) {
    for effect in effects {
      switch effect {
      case .clearCache: break
      case .prime: spawn("prime") { await $0.prime() }
      case .readMarker: spawn("read marker") { $0.take(.markerRead(await $0.marker.read())) }
      case .writeMarker(let user): marker.set(user)
      case .removeMarker: marker.set(nil)
      case .derive(let number): spawn("derive status") { await $0.derive(number) }
      }
    }
  }

  private func spawn(_ name: String, _ work: @escaping (AuthProvider) async -> Void) {
    ports.spawner.spawn(name) { [weak self] in
      if let self { await work(self) }
    }
  }

  private func prime() async {
    do throws(AuthError) {
      take(.primed(.session(try await auth.getSession())))
    } catch {
      if error.isRejection { ports.console.error("getSession was rejected: \(error)") }
      take(.primed(error.isRejection ? .rejected : .failed))
    }
  }

  private func derive(_ number: Int) async {
    do throws(AuthError) {
      let levels = try await auth.assuranceLevels()
      take(.derived(number, Assurance(current: levels.current, next: levels.next)))
    } catch {
      ports.console.warn("the assurance levels are unknown: \(error)")
      take(.derived(number, .unknown))
    }
  }

  private func limitPriming() {
    spawn("limit priming") { provider in
      do throws(ProcessGone) {
        try await provider.ports.sleeper.sleep(for: Self.primingMax)
        provider.take(.primingOverdue)
      } catch {
        provider.ports.console.warn("\(error)")
      }
    }
  }

  // MARK: Lifecycle

  private func stateChanged(to state: AppState) {
    autoRefresh.follow(state)
    guard profile == .hardened, state == .active else { return }
    spawn("look again") { provider in
      if provider.owesSignOut { await provider.signOut() }
      await provider.recheck()
    }
  }

  /// A store that healed itself says nothing: the session is just gone.
  private func recheck() async {
    let since = machine.inputCount
    do throws(AuthError) {
      take(.rechecked(since: since, try await auth.getSession()))
    } catch {
      ports.console.warn("the session cannot be looked at: \(error)")
    }
  }
}
