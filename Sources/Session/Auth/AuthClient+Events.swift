import Ports

/// Subscribers and what they are told.
extension AuthClient {
  package typealias Listener = (AuthEvent, AuthSession?) async throws -> Void

  struct Subscriber {
    let id: Int
    let listener: Listener
  }

  package func onAuthStateChange(_ listener: @escaping Listener) -> () -> Void {
    subscriptions += 1
    let id = subscriptions
    subscribers.append(Subscriber(id: id, listener: listener))
    ports.spawner.spawn("first event") {
      await self.initialised.wait()
      guard self.settings.behaviour.usesLock else { return await self.emitInitialSession(to: id) }
      await self.lock {
        // The turn is over before this is: the original does not wait for it.
        self.ports.spawner.spawn("first session") { await self.emitInitialSession(to: id) }
      }
    }
    return { self.subscribers.removeAll { $0.id == id } }
  }

  /// Tells all subscribers, at the same time and in their order, and waits for them. The hardened
  /// client does not wait, so that they may call it (H-10).
  ///
  /// - Throws: The first error of a subscriber, after all have come to their end.
  func notify(_ event: AuthEvent, _ session: AuthSession?) async throws(AuthError) {
    if firstEvents != nil {
      firstEvents?.append((event, session))
      return
    }
    let ends = subscribers.map { subscriber in
      let end = AuthPromise<Void>()
      ports.spawner.spawn(event.rawValue) {
        end.settle(await self.tell(subscriber, event, session))
      }
      return end
    }
    guard !settings.isHardened else { return }
    var failure: AuthError?
    for end in ends {
      do throws(AuthError) {
        try await end.value()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Tells what happened during the initialisation.
  func deliverFirstEvents() async {
    let events = firstEvents ?? []
    firstEvents = nil
    for (event, session) in events {
      do throws(AuthError) {
        try await notify(event, session)
      } catch {
        ports.console.error("\(error)")
      }
    }
  }

  private func emitInitialSession(to id: Int) async {
    do throws(AuthError) {
      let session: Result<AuthSession?, AuthError>
      do throws(AuthError) {
        session = .success(try await firstSession())
      } catch {
        guard !error.isRejection else { throw error }
        session = .failure(error)
      }
      guard let subscriber = subscribers.first(where: { $0.id == id }) else { return }
      do throws(AuthError) {
        try await tell(subscriber, .initialSession, session.get()).get()
      } catch {
        ports.console.warn("\(error)")
        try await tell(subscriber, .initialSession, nil).get()
      }
    } catch {
      ports.console.error("\(error)")
    }
  }

  private func tell(
    _ subscriber: Subscriber, _ event: AuthEvent, _ session: AuthSession?
  ) async -> Result<Void, AuthError> {
    do {
      try await subscriber.listener(event, session)
      return .success(())
    } catch {
      ports.console.error("a subscriber of \(event.rawValue) failed")
      return .failure(.listener("\(error)"))
    }
  }
}
