import JSON
import Ports

/// Values are stored as JSON texts.
extension AuthClient {
  /// The value of a name; `nil` when there is none, or one that is not JSON, or null.
  func read(_ name: String) async throws(AuthError) -> JSONValue? {
    let text: String
    do throws(StoreError) {
      guard let item = try await ports.store.item(name), !item.isEmpty else { return nil }
      text = item.repaired
    } catch {
      throw .storage(error)
    }
    switch JavaScriptValue.parse(text) {
    case .success(.null): return nil
    case .success(let value): return value
    case .failure: return settings.behaviour.leavesUnreadableText ? nil : .text(text)
    }
  }

  func write(_ name: String, _ value: JSONValue) async throws(AuthError) {
    do throws(StoreError) {
      try await ports.store.setItem(name, to: JavaScriptString(JSONWriter.text(of: value)))
    } catch {
      throw .storage(error)
    }
  }

  func remove(_ name: String) async throws(AuthError) {
    do throws(StoreError) {
      try await ports.store.removeItem(name)
    } catch {
      throw .storage(error)
    }
  }

  func save(_ session: AuthSession) async throws(AuthError) {
    try await commit { () async throws(AuthError) in try await put(session) }
  }

  /// Saves a session inside a commit.
  func put(_ session: AuthSession) async throws(AuthError) {
    holdsSession = true
    if settings.behaviour.savingRemovesVerifier { try await remove(keys.verifier) }
    try await write(keys.session, .object(session.json))
  }

  /// Removes the session and what belongs to it, and says that it is over.
  func removeSession() async throws(AuthError) {
    removals += 1
    failedRefresh = nil
    holdsSession = false
    if settings.isHardened { return try await removeSessionForSure() }
    try await remove(keys.session)
    try await removeVerifiers()
    try await remove(keys.user)
    try await notify(.signedOut, nil)
  }
}
