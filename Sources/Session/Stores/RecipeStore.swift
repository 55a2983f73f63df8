/// The published two-half store as it is: ``TwoHalves`` without any care.
///
/// A read takes the blob, then the key; a half that is absent or empty is handed back as the
/// answer. A key that does not fit gives garbage text, and nothing is ever cleaned up.
final class RecipeStore: SessionStore {
  private let halves: TwoHalves

  init(_ ports: StorePorts) throws(StoreError) {
    halves = try TwoHalves(ports)
  }

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    guard let blob = try await halves.blob(name) else { return nil }
    guard !blob.isEmpty else { return "" }
    guard let keyText = try await halves.keyText(name) else { return nil }
    guard !keyText.isEmpty else { return "" }
    return try halves.decrypt(blob, keyText: keyText)
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    try await halves.save(name, value)
  }

  func removeItem(_ name: String) async throws(StoreError) {
    try await halves.remove(name)
  }
}
