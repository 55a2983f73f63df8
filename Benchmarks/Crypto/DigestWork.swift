import Crypto

/// The blocks of SHA-256 that `durable` needs: the part of a save that no program can do without.
///
/// HMAC takes one block for each of a key's two paddings, the message with its own padding, and one
/// more for the digest of it.
enum DigestWork {
  static let name = "SHA-256 of a block of 64 B"
  private static let blockBytes = 64
  /// So long that nothing counts but its blocks.
  private static let message = [UInt8](repeating: 0x61, count: 1 << 16)

  /// Digests so many blocks, rounded up to whole messages.
  ///
  /// - Returns: How many blocks that were, each message's padding among them.
  static func perform(blockCount: Int) throws(CryptoError) -> Int {
    let each = paddedBlocks(message.count)
    let count = (blockCount + each - 1) / each
    for _ in 0..<count { _ = try sha256(message) }
    return count * each
  }

  /// How many blocks a save of a text takes, with what the paddings of a key leave kept.
  static func blocksOfSave(textBytes: Int, nameBytes: Int) -> Int {
    let infoBytes = "durable 1 ".utf8.count + nameBytes
    let keys = 3 * 2
    let messages = [32, infoBytes + 1, 32 + infoBytes + 1, 32 + 4 + textBytes]
    return keys + messages.reduce(0) { $0 + paddedBlocks($1) + 1 }
  }

  /// A bit and the length in eight bytes are added to a message.
  private static func paddedBlocks(_ bytes: Int) -> Int {
    (bytes + 9 + blockBytes - 1) / blockBytes
  }
}
