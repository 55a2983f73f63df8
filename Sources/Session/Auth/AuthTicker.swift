import Ports

/// The timer that refreshes a session in time.
final class AuthTicker {
  static let period = Duration.seconds(30)
  static let periodMs = 30_000.0
  /// So many periods before its end a session is refreshed.
  static let periodsLeftMax = 3.0

  private var isStopped = false

  /// Ends it; a tick that has begun goes on.
  func stop() { isStopped = true }

  /// Runs until it is stopped or the process ends.
  func run(_ client: AuthClient) {
    client.ports.spawner.spawn("ticker") {
      while await self.waits(Self.period, client) {
        client.ports.spawner.spawn("tick") { await client.tick() }
      }
    }
    client.ports.spawner.spawn("first tick") {
      guard await self.waits(.zero, client) else { return }
      await client.initialised.wait()
      await client.tick()
    }
  }

  private func waits(_ duration: Duration, _ client: AuthClient) async -> Bool {
    do throws(ProcessGone) {
      try await client.ports.sleeper.sleep(for: duration)
      return !isStopped
    } catch {
      return false
    }
  }
}

extension AuthClient {
  package func startAutoRefresh() async { startTicker() }

  package func stopAutoRefresh() async { stopTicker() }

  func startTicker() {
    stopTicker()
    let ticker = AuthTicker()
    self.ticker = ticker
    ticker.run(self)
  }

  private func stopTicker() {
    ticker?.stop()
    ticker = nil
  }

  /// Refreshes the session when it is about to end.
  fileprivate func tick() async {
    if !settings.behaviour.usesLock, refreshing != nil { return }
    do throws(AuthError) {
      try await lock { () async throws(AuthError) in
        let now = ports.clock.nowMs
        guard let session = try await loadSession(), !session.refreshToken.isEmpty,
          let left = session.leftMs(nowMs: now)
        else { return }
        guard (left / AuthTicker.periodMs).rounded(.down) <= AuthTicker.periodsLeftMax else {
          return
        }
        _ = try await refresh(session.refreshToken)
      }
    } catch {
      guard error.isRejection else { return }
      ports.console.error(
        "Auto refresh tick failed with error. This is likely a transient error. \(error)")
    }
  }
}
