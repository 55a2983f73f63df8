package import Ports

/// The note that somebody is recovering, kept beside the session in plain storage: it is no secret.
///
/// Its text is the user's id, or ``StatusMachine/pendingMarker``. Writes never fail to the caller;
/// what goes wrong is a warning. In the profile `seed` they overlap, and whichever the storage does
/// last stays; in `hardened` they follow each other.
package final class RecoveryMarker {
  package static let name = "makerkit.auth.recovering"
  /// How often `hardened` reads before a failure counts as absence.
  static let readAttemptsMax = 3

  private let storage: any PlainStorage
  private let spawner: any Spawner
  private let console: any Console
  private let profile: AppProfile
  private let turns = SerialQueue()

  package init(
    _ storage: any PlainStorage, _ spawner: any Spawner, _ console: any Console,
    _ profile: AppProfile
  ) {
    self.storage = storage
    self.spawner = spawner
    self.console = console
    self.profile = profile
  }

  /// The stored text; `nil` if there is none or it cannot be read, which is warned of.
  package func read() async -> String? {
    let attempts = profile == .seed ? 1 : Self.readAttemptsMax
    for attempt in 1...attempts {
      do throws(NativeError) {
        return try await storage.item(Self.name)
      } catch {
        if attempt == attempts { console.warn("the recovery marker cannot be read: \(error)") }
      }
    }
    return nil
  }

  /// Stores a text, or removes it for `nil`, without making the caller wait.
  package func set(_ text: String?) {
    spawner.spawn("recovery marker") { await self.write(text) }
  }

  /// Returns when the text is stored, or a warning has been given.
  package func write(_ text: String?) async {
    if profile == .hardened { await turns.enter() }
    do throws(NativeError) {
      if let text {
        try await storage.setItem(Self.name, to: text)
      } else {
        try await storage.removeItem(Self.name)
      }
    } catch {
      console.warn("the recovery marker cannot be \(text == nil ? "removed" : "stored"): \(error)")
    }
    if profile == .hardened { turns.leave() }
  }
}
