import SQLite

/// A sum over the rows of one table in the order of writing. SQLite itself does not notice when
/// bytes inside a value change.
///
/// FNV-1a over 64 bits, eight bytes a step.
struct Checksum {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ values: [DatabaseValue]) {
    for value in values {
      switch value {
      case .null: add(0)
      case .integer(let number): add(1, UInt64(bitPattern: number))
      case .real(let number): add(2, number.bitPattern)
      case .text(let text): add(3, Array(text.utf8))
      case .blob(let bytes): add(4, bytes)
      }
    }
  }

  private mutating func add(_ words: UInt64...) {
    for word in words { step(word) }
  }

  private mutating func add(_ tag: UInt64, _ bytes: [UInt8]) {
    step(tag)
    step(UInt64(bytes.count))
    var word: UInt64 = 0
    for index in bytes.indices {
      word = word << 8 | UInt64(bytes[index])
      if index % 8 == 7 { step(word) }
    }
    step(word)
  }

  private mutating func step(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01B3
    value ^= value >> 32
  }
}
