import Crypto
package import Ports

/// One launch of an app that keeps a Supabase session in a store, and does what it is told.
///
/// It stands for the part of auth-js that touches storage: it reads, judges what it reads as the
/// client does, saves, and removes. There is no server: what a refresh gives is a
/// ``SessionText`` of the next generation. It announces S0 before a save and S1 after the
/// acknowledgement was noted, and E1 when the client would tell its listeners. Not `Sendable`: one
/// process, one app.
package final class ReferenceApp {
  private let store: any SessionStore
  /// For what the app keeps there beside its store.
  private let secure: any SecureStorage
  private let console: WarningRecorder
  private let trace: any TracePoint
  private let clock: any WallClock
  private let log: AcknowledgementLog
  private let settings: AppSettings
  private let lifecycle: StandingLifecycle

  /// Starts the app with a fresh store of a kind, which knows whether the person sees the app.
  ///
  /// - Throws: ``StoreError/cipher(_:)`` when the crypto library does not start.
  package convenience init(
    _ kind: StoreKind, _ ports: StorePorts, clock: any WallClock,
    log: (any AcknowledgementSink)? = nil, _ settings: AppSettings = AppSettings(),
    state: AppState = .active
  ) throws(StoreError) {
    let console = WarningRecorder(ports.console)
    let lifecycle = StandingLifecycle(state)
    var ports = ports
    ports.isInForeground = { lifecycle.state == .active }
    ports.console = console
    ports.clock = clock
    let store = try kind.make(ports, settings.store)
    self.init(
      store: store, secure: ports.secure, console: console, trace: ports.trace, clock: clock,
      log: log, settings, lifecycle: lifecycle)
  }

  /// Starts the app over a store that already is there; its warnings must go to `console`.
  package init(
    store: any SessionStore, secure: any SecureStorage, console: WarningRecorder,
    trace: any TracePoint, clock: any WallClock, log: (any AcknowledgementSink)?,
    _ settings: AppSettings, lifecycle: StandingLifecycle = StandingLifecycle(.active)
  ) {
    self.lifecycle = lifecycle
    self.store = store
    self.secure = secure
    self.console = console
    self.trace = trace
    self.clock = clock
    self.log = AcknowledgementLog(log, launch: settings.launch)
    self.settings = settings
  }

  /// Does one command. Never throws: whatever the store rejects is part of the result.
  ///
  /// - Parameters:
  ///   - command: What to do.
  ///   - spawner: Starts the calls of an overlap; without one they follow each other.
  /// - Returns: What it came to.
  package func run(_ command: AppCommand, with spawner: (any Spawner)? = nil) async -> AppResult {
    let outcome = await outcome(of: command, spawner)
    return AppResult(command: command.name, outcome: outcome, warnings: console.take())
  }

  private func outcome(
    of command: AppCommand, _ spawner: (any Spawner)?
  ) async -> AppResult.Outcome {
    do throws(AppFailure) {
      return try await perform(command, spawner)
    } catch {
      return .rejected(code: error.code, message: error.message)
    }
  }

  private func outcomes(
    of commands: [AppCommand], _ spawner: (any Spawner)?
  ) async -> [AppResult.Outcome] {
    let calls = OverlappingCalls(count: commands.count)
    for (index, command) in commands.enumerated() {
      if let spawner {
        spawner.spawn("call \(index + 1)") {
          calls.end(index, await self.outcome(of: command, nil))
        }
      } else {
        calls.end(index, await outcome(of: command, nil))
      }
    }
    return await calls.outcomes()
  }

  private func perform(
    _ command: AppCommand, _ spawner: (any Spawner)?
  ) async throws(AppFailure) -> AppResult.Outcome {
    switch command {
    case .signIn(.generation(let generation)):
      return try await saveSession(command, try newSession(generation))
    case .signIn(.text(let text)):
      return try await saveSession(command, text)
    case .get(nil):
      return try await loadSession()
    case .get(let item?):
      return try await readItem(item)
    case .set(let item, let value):
      try await save(command, item, value, session: nil)
      return .saved(nil)
    case .secret(let item, let value):
      try await keep(item, value)
      return .saved(nil)
    case .remove(let item):
      let item = item ?? settings.sessionItem
      try await noted(command, item, session: nil) { () throws(StoreError) in
        try await store.removeItem(item)
      }
      return .removed
    case .refresh(let generation):
      return try await refresh(command, to: generation)
    case .signOut:
      return try await signOut(command)
    case .become(let state):
      lifecycle.state = state
      try await told { listener throws(StoreError) in try await listener.become(state) }
      return .told
    case .open(let url):
      try await told { listener throws(StoreError) in try await listener.open(url) }
      return .told
    case .overlap(let overlap):
      return .overlapped(await outcomes(of: overlap.commands, spawner))
    }
  }
}

// MARK: - Reading

extension ReferenceApp {
  /// What auth-js makes of the stored session.
  private func loadSession() async throws(AppFailure) -> AppResult.Outcome {
    guard let text = try await storeItem(settings.sessionItem), !text.isEmpty else {
      return .absent
    }
    let reading = try AppFailure.wrap { () throws(CryptoError) in try SessionReading.of(text) }
    switch reading {
    case .session(let identity): return .session(identity)
    case .null: return .absent
    case .notJSON where settings.sdk.leavesUnreadableText:
      return .garbage(isJSON: false, removed: false)
    case .notJSON, .notASession:
      // The client takes it for an invalid session, removes it, and tells its listeners.
      do throws(StoreError) {
        try await removeSessionItems()
      } catch {
        throw AppFailure(error)
      }
      trace.reach(.eventEmitted)
      return .garbage(isJSON: reading == .notASession, removed: true)
    }
  }

  private func readItem(_ item: String) async throws(AppFailure) -> AppResult.Outcome {
    guard let text = try await storeItem(item) else { return .absent }
    let digest = try AppFailure.wrap { () throws(CryptoError) in
      try SessionReading.digest(of: text)
    }
    return .item(utf8Bytes: text.utf8Bytes, digest: digest)
  }

  private func storeItem(_ name: String) async throws(AppFailure) -> JavaScriptString? {
    do throws(StoreError) {
      return try await store.item(name)
    } catch {
      throw AppFailure(error)
    }
  }
}

// MARK: - What the system tells it

extension ReferenceApp {
  /// A store of the lab's own does nothing by itself; it asks when it has to know.
  private func told(
    _ body: (any SystemListener) async throws(StoreError) -> Void
  ) async throws(AppFailure) {
    guard let listener = store as? any SystemListener else { return }
    do throws(StoreError) {
      try await body(listener)
    } catch {
      throw AppFailure(error)
    }
  }
}

// MARK: - Changing

extension ReferenceApp {
  private func refresh(
    _ command: AppCommand, to generation: Int?
  ) async throws(AppFailure) -> AppResult.Outcome {
    let loaded = try await loadSession()
    guard case .session(let identity) = loaded else {
      guard loaded == .absent else { return loaded }
      throw AppFailure(code: AppFailure.sessionMissing, message: "Auth session missing!")
    }
    let known = identity.generation ?? 0
    let next = known < Int.max ? known + 1 : known
    return try await saveSession(command, try newSession(generation ?? next))
  }

  private func keep(_ item: String, _ value: String) async throws(AppFailure) {
    do throws(NativeError) {
      try await secure.setItem(item, to: value)
    } catch {
      throw AppFailure(code: error.code, message: error.message)
    }
  }

  private func signOut(_ command: AppCommand) async throws(AppFailure) -> AppResult.Outcome {
    try await noted(command, settings.sessionItem, session: nil) { () throws(StoreError) in
      try await removeSessionItems()
    }
    trace.reach(.eventEmitted)
    return .signedOut
  }

  /// What `_removeSession` removes: the session, the PKCE verifier, and the user's own item.
  private func removeSessionItems() async throws(StoreError) {
    for suffix in ["", "-code-verifier", "-user"] {
      try await store.removeItem(settings.sessionItem + suffix)
    }
  }

  private func newSession(_ generation: Int) throws(AppFailure) -> JavaScriptString {
    try AppFailure.wrap { () throws(CryptoError) in
      JavaScriptString(
        try SessionText.make(
          user: settings.user, generation: generation, issuedAtMs: clock.nowMs,
          size: settings.size))
    }
  }

  private func saveSession(
    _ command: AppCommand, _ text: JavaScriptString
  ) async throws(AppFailure) -> AppResult.Outcome {
    let reading = try AppFailure.wrap { () throws(CryptoError) in try SessionReading.of(text) }
    var session: SessionIdentity?
    if case .session(let identity) = reading { session = identity }
    try await save(command, settings.sessionItem, text, session: session)
    trace.reach(.eventEmitted)
    return .saved(session)
  }

  private func save(
    _ command: AppCommand, _ item: String, _ value: JavaScriptString, session: SessionIdentity?
  ) async throws(AppFailure) {
    try await noted(command, item, session: session) { () throws(StoreError) in
      trace.reach(.saveBegins)
      try await store.setItem(item, to: value)
    }
    trace.reach(.saveAcknowledged)
  }

  /// Runs a change between its two lines of the acknowledgement log.
  private func noted(
    _ command: AppCommand, _ item: String, session: SessionIdentity?,
    _ change: () async throws(StoreError) -> Void
  ) async throws(AppFailure) {
    let number = try witness { () throws(AcknowledgementFailure) in
      try log.begin(command.name, item: item, session: session)
    }
    var failure: StoreError?
    do throws(StoreError) {
      try await change()
    } catch {
      failure = error
    }
    try witness { () throws(AcknowledgementFailure) in
      try log.end(number, error: failure.map(String.init(describing:)))
    }
    if let failure { throw AppFailure(failure) }
  }

  private func witness<Value>(
    _ note: () throws(AcknowledgementFailure) -> Value
  ) throws(AppFailure) -> Value {
    do throws(AcknowledgementFailure) {
      return try note()
    } catch {
      throw AppFailure(code: nil, message: "\(error)")
    }
  }
}

/// Collects what calls came to that run at once.
private final class OverlappingCalls {
  private var ended: [AppResult.Outcome?]
  private var waiter: CheckedContinuation<Void, Never>?

  init(count: Int) {
    ended = Array(repeating: nil, count: count)
  }

  func end(_ index: Int, _ outcome: AppResult.Outcome) {
    ended[index] = outcome
    guard !ended.contains(nil) else { return }
    waiter?.resume()
    waiter = nil
  }

  /// Returns when all have ended.
  func outcomes() async -> [AppResult.Outcome] {
    if ended.contains(nil) { await withCheckedContinuation { waiter = $0 } }
    return ended.compactMap { $0 }
  }
}
