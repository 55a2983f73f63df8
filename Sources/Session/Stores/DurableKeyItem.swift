import Crypto

/// What the key half of the durable store holds: a master key, or two while it is being rotated.
///
/// The text is `1.KEY` or `1.KEY.KEY`, the older key first, each 32 bytes in Base64url: 45 or 89
/// characters. The 64 hexadecimal digits that the published recipe writes are one key as well, so
/// that its items need not be rewritten. It must never get into an error or a log.
struct DurableKeyItem: Equatable {
  static let keyBytes = 32
  /// One or two keys, the oldest first.
  let keys: [[UInt8]]

  init(keys: [[UInt8]]) {
    precondition((1...2).contains(keys.count), "an item holds one or two keys")
    precondition(keys.allSatisfy { $0.count == Self.keyBytes }, "a key has 32 bytes")
    self.keys = keys
  }

  /// Reads a key half; `nil` for a text that no version of a store has written.
  init?(_ text: String) {
    var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let decoded: [[UInt8]]
    if parts.count == 1 {
      guard let key = try? Hexadecimal.decode(text) else { return nil }
      decoded = [key]
    } else {
      guard parts.removeFirst() == "1" else { return nil }
      decoded = parts.compactMap { try? Base64URL.decode($0) }
    }
    guard decoded.count == parts.count, (1...2).contains(decoded.count),
      decoded.allSatisfy({ $0.count == Self.keyBytes })
    else { return nil }
    keys = decoded
  }

  var text: String { (["1"] + keys.map(Base64URL.encode)).joined(separator: ".") }
}
