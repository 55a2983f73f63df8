import Ports

/// The two-half store that heals itself: any failure of a read counts as "the halves are out of
/// step", is warned of once, and ends with both halves removed and nothing returned.
///
/// What it cannot see is a key that does not fit: that decrypts to garbage without a failure, and
/// is returned. What it sees too much of is a passing fault, such as a locked keychain: a good
/// session is removed. Both are the modelled behaviour. Writing and removing are the recipe's.
final class HealingStore: SessionStore {
  private let halves: TwoHalves
  private let console: any Console
  private let trace: any TracePoint

  init(_ ports: StorePorts) throws(StoreError) {
    halves = try TwoHalves(ports)
    console = ports.console
    trace = ports.trace
  }

  /// - Throws: Only when healing itself fails; halves removed before that stay removed.
  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    do throws(StoreError) {
      guard let blob = try await halves.blob(name) else { return nil }
      guard !blob.isEmpty else { return "" }
      guard let keyText = try await halves.keyText(name), !keyText.isEmpty else {
        throw .keyMissing
      }
      return try halves.decrypt(blob, keyText: keyText)
    } catch {
      trace.reach(.recoveryBegins)
      console.warn(
        "[LargeSecureStore] getItem failed, clearing both halves { key: '\(name)', err: \(error) }"
      )
      try await removeItem(name)
      trace.reach(.recoveryEnds)
      return nil
    }
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    try await halves.save(name, value)
  }

  func removeItem(_ name: String) async throws(StoreError) {
    try await halves.remove(name)
  }
}
