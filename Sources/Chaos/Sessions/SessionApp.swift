import Device
import Ports
import Session
import Simulation
import Zoo

/// One launch of the app with its client, its status and its screens, in virtual time.
final class SessionApp {
  static let item = "sb-demo-auth-token"

  let number: ProcessNumber
  let process: SimulatedProcess
  let client: AuthClient
  let provider: AuthProvider
  let navigator = Navigator(at: .signIn)
  let context: FlowContext
  let crashes: NotedCrash
  /// The screen that the person looks at: it lives until there is another.
  var screen: AnyObject?
  private let lifecycle = Lifecycle()
  private var invariants = StatusInvariants()
  /// What guards saw that they must never see.
  private(set) var violations: [StatusInvariants.Violation] = []

  init(_ plan: SessionPlan, in world: SessionWorld) throws(PhoneHostError) {
    let (number, setup, launchCount) = try world.phone.beginLaunch()
    self.number = number
    let clock = world.deviceClock
    let box = world.phone.box
    process = world.simulator.process("app") { box.isAlive(number) }
    let modules = try world.phone.modules(for: number, in: process, clock, setup, launchCount)
    crashes = modules.crashes
    let console = SilentConsole()
    var settings = AuthSettings(
      baseURL: "https://demo.example/auth/v1", anonKey: "public", storageKey: Self.item,
      profile: plan.profile == .seed ? .seed : .hardened)
    settings.sdk = plan.sdk
    let store: any SessionStore
    do {
      store = try KnownStores.known(plan.store).make(modules.ports)
    } catch {
      throw .refused("\(error)")
    }
    client = AuthClient(
      settings,
      AuthPorts(
        store: store,
        transport: world.network.transport(of: process), clock: clock,
        sleeper: process, spawner: process,
        entropy: SeededEntropy(seed: plan.seed &+ UInt64(launchCount), stream: "auth"),
        console: console))
    provider = AuthProvider(
      client,
      ProviderPorts(
        storage: modules.ports.plain, console: console, spawner: process, sleeper: process,
        lifecycle: lifecycle), cache: QueryCache(), plan.profile)
    context = FlowContext(
      client, provider, navigator, spawner: process, sleeper: process, clock: clock,
      console: console)
    provider.onStep { [unowned self, unowned world] input, effects, frame in
      // What a dead process still does, nobody sees.
      guard !process.isGone else { return }
      if case .event(.signedOut, _) = input { world.facts.end?.signOutCount += 1 }
      violations += invariants.observe(input, effects, frame)
    }
    provider.onFrame { [navigator] in navigator.settle($0) }
    process.spawn("start") { [provider] in provider.start() }
  }

  var frame: AuthFrame { provider.frame }

  func become(_ state: AppState) { lifecycle.state = state }

  private final class Lifecycle: AppLifecycle {
    private var listeners: [Int: (AppState) -> Void] = [:]
    private var count = 0

    var state = AppState.active {
      didSet {
        for key in listeners.keys.sorted() { listeners[key]?(state) }
      }
    }

    func onChange(_ listener: @escaping (AppState) -> Void) -> () -> Void {
      count += 1
      let key = count
      listeners[key] = listener
      return { [weak self] in self?.listeners[key] = nil }
    }
  }
}
