/// One of the two places that a session is split over.
package enum Half: String, CaseIterable, Sendable {
  /// The small AES key, in the keychain or behind the keystore.
  case key
  /// The big encrypted text, in plain storage.
  case blob
}
