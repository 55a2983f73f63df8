import Phone
import Ports

/// Knows what an app has stored, and notices when a native module drops it or denies it.
///
/// After a refused call some modules lose what they hold: AsyncStorage on Android deletes a database
/// that it cannot open, SecureStore takes preferences that it cannot read for empty ones. No store
/// over them can do better than a clean sign-out, so it is counted as a loss.
final class ModuleWitness {
  private(set) var stored: [Half: Set<String>] = [:]
  /// What was lost since the last call of ``take()``.
  private var losses: Loss = []

  init() {}

  init(_ other: ModuleWitness) {
    stored = other.stored
  }

  func take() -> Loss {
    defer { losses = [] }
    return losses
  }

  fileprivate func noteStored(_ name: String, _ half: Half) {
    stored[half, default: []].insert(name)
  }

  fileprivate func noteRemoved(_ name: String, _ half: Half) {
    stored[half, default: []].remove(name)
  }

  fileprivate func noteMissing(_ name: String, _ half: Half) {
    guard stored[half, default: []].remove(name) != nil else { return }
    losses.insert(half == .key ? .key : .blob)
  }

  func secure(over storage: any SecureStorage) -> any SecureStorage {
    WitnessedStorage(.key, storage, self)
  }

  func plain(over storage: any PlainStorage) -> any PlainStorage {
    WitnessedStorage(.blob, storage, self)
  }
}

private final class WitnessedStorage: SecureStorage, PlainStorage {
  private let half: Half
  private let storage: any ItemStorage
  private let witness: ModuleWitness

  init(_ half: Half, _ storage: any ItemStorage, _ witness: ModuleWitness) {
    self.half = half
    self.storage = storage
    self.witness = witness
  }

  func item(_ name: String) async throws(NativeError) -> String? {
    do throws(NativeError) {
      let text = try await storage.item(name)
      if text == nil { witness.noteMissing(name, half) }
      return text
    } catch {
      // SecureStore on Android, of an entry whose key is gone.
      if error.code == "ERR_DECRYPT" { witness.noteMissing(name, half) }
      throw error
    }
  }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await storage.setItem(name, to: value)
    witness.noteStored(name, half)
  }

  func removeItem(_ name: String) async throws(NativeError) {
    witness.noteRemoved(name, half)
    try await storage.removeItem(name)
  }
}
