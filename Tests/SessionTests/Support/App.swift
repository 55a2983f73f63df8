import Ports
import Session
import TestSupport

/// One launch of the app over a client and a storage that may outlive it.
final class App {
  let loop = TestLoop()
  let auth: FakeAuth
  let storage: FakePlain
  let lifecycle = FakeLifecycle()
  let cache = QueryCache()
  let console = FakeConsole(Journal())
  let provider: AuthProvider
  let navigator: Navigator
  private(set) var frames: [AuthFrame] = []
  private(set) var steps: [StatusInput] = []
  private(set) var violations: [StatusInvariants.Violation] = []
  private var invariants = StatusInvariants()
  /// Whose data a screen found when it was shown.
  private(set) var foreignReads: [String] = []

  init(
    _ profile: AppProfile = .seed, auth: FakeAuth = FakeAuth(), storage: FakePlain = FakePlain(),
    at route: Route = .signIn
  ) {
    self.auth = auth
    self.storage = storage
    navigator = Navigator(at: route)
    provider = AuthProvider(
      auth,
      ProviderPorts(
        storage: storage, console: console, spawner: loop, sleeper: loop, lifecycle: lifecycle),
      cache: cache, profile)
    provider.onStep { [unowned self] in
      steps.append($0)
      violations += invariants.observe($0, $1, $2)
    }
    provider.onFrame { [unowned self] in
      frames.append($0)
      render($0)
      navigator.settle($0)
    }
  }

  /// A home screen: reads the workspace, and fetches it.
  private func render(_ frame: AuthFrame) {
    guard let user = frame.userID, frame.status == .authenticated else { return }
    foreignReads += cache.owners(of: "workspace").filter { $0 != user }
    cache.store("workspace of \(user)", query: "workspace", user: user)
  }

  private(set) lazy var context = FlowContext(
    auth, provider, navigator, spawner: loop, sleeper: loop, clock: loop, console: console)

  /// Starts the app, and lets the client tell of what it has stored, as auth-js does.
  @discardableResult func start(replays: Bool = true) -> App {
    let initialisation = Gate()
    if replays { auth.initialisation = initialisation }
    provider.start()
    if replays {
      loop.spawn("initialise") { [auth] in
        defer { initialisation.open() }
        if let stored = auth.stored { await auth.tell(.signedIn, stored) }
        await auth.tell(.initialSession, auth.stored)
      }
    }
    loop.run()
    return self
  }

  func tell(_ event: AuthEvent, _ session: AuthSession?) {
    loop.perform { [auth] in await auth.tell(event, session) }
  }

  /// The statuses that were shown, without repetitions.
  var statuses: [AuthStatus] {
    frames.map(\.status).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }
}
