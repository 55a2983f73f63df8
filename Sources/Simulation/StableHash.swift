/// A hash that is the same in every process and release: FNV-1a of 64 bits. Not against an attacker.
package struct StableHash: Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  /// Adds a text and where it ends.
  package mutating func add(_ text: String) {
    for byte in text.utf8 { mix(byte) }
    mix(0xFF)
  }

  private mutating func mix(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }
}
