import Ports

/// The client of Supabase Auth, as auth-js is one: it keeps a session in a store, refreshes it, and
/// tells subscribers what becomes of it.
///
/// The model follows auth-js call by call, with its races and its hazards, for the versions from 2.105
/// to 2.112; the recordings of the real library are its measure. Not modelled, as React Native has it
/// not or the app uses it not: URL detection, tabs, a store of its own for the user, custom locks,
/// phone numbers, web3, SSO, passkeys and administration.
///
/// The profile ``AuthSettings/Profile/hardened`` makes the same calls and has these hazards not:
///
/// | hazard | instead |
/// | --- | --- |
/// | H-05 store loses the session under a running app, no event | `SIGNED_OUT` |
/// | H-08 25 s in the dark offline, 60 s lag after it | 3 s, the stored session is told; 5 s |
/// | H-09 a read that fails suppresses `INITIAL_SESSION` | it comes when the store can be read |
/// | H-10 a subscriber that waits for a call hangs the client | subscribers are not waited for |
/// | H-11 a sign-out fails offline, or with the store; ends all devices | always here, only here |
/// | H-16 another address between challenge and code | challenged again |
/// | H-17 plain challenge; verifiers mixed up, wiped, left over | hashed, one slot a flow, removed |
/// | H-24 a limit or a defect of the server ends the session | only a refusal does |
/// | H-25, H-02 a change of the user writes old tokens back | changes are made one by one |
/// | H-28 reply to a verification lost, tokens two steps behind | refreshed at once |
package final class AuthClient {
  let settings: AuthSettings
  let ports: AuthPorts
  let keys: AuthKeys

  /// Settled when the stored session has been looked at.
  let initialised = AuthPromise<Void>()
  /// What happened during the initialisation and is to be told after it; `nil` outside it.
  var firstEvents: [(AuthEvent, AuthSession?)]?

  var subscribers: [Subscriber] = []
  var subscriptions = 0

  /// The refresh under way, which all callers share.
  var refreshing: AuthPromise<AuthSession>?
  var failedRefresh: FailedRefresh?
  /// How often a session was removed.
  var removals = 0
  var ticker: AuthTicker?
  /// Whether a session was there when the client last looked.
  var holdsSession = false
  let commits = SerialQueue()
  private let queue = AuthLock()

  /// Makes a client, which begins to look at its store.
  package init(_ settings: AuthSettings, _ ports: AuthPorts) {
    self.settings = settings
    self.ports = ports
    keys = AuthKeys(session: settings.storageKey)
    if settings.behaviour.queuesFirstEvents { firstEvents = [] }
    ports.spawner.spawn("initialise") {
      await self.lock { await self.initialise() }
      self.initialised.settle()
      await self.deliverFirstEvents()
    }
  }

  /// Runs an operation in its turn, where the version has turns.
  func lock<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard settings.behaviour.usesLock else { return try await body() }
    return try await queue.run(body)
  }

  /// Runs a public operation: after the initialisation, and in its turn.
  func operation<Value>(
    _ body: () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    await initialised.wait()
    return try await lock(body)
  }

  private func initialise() async {
    await recoverSession()
    if settings.refreshesAutomatically { startTicker() }
  }
}
