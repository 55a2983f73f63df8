/// A hash of what a volume shows: names, kinds, lengths, contents and link targets of all that a
/// name leads to. Inode numbers, owners and times do not count.
package struct ImageDigest: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package var description: String { Self.text(high) + Self.text(low) }

  private static func text(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Volume {
  /// - Complexity: O(*n*) for all reachable bytes.
  package func digest() -> ImageDigest {
    var mixer = Mixer()
    mix(.root, into: &mixer)
    return ImageDigest(high: mixer.high, low: mixer.low)
  }

  private func mix(_ id: InodeID, into mixer: inout Mixer) {
    guard let inode = inodes[id] else { return }
    mixer.add(UInt64(inode.kind.rawValue))
    switch inode.kind {
    case .directory:
      mixer.add(UInt64(inode.entries.count))
      for entry in list(id) {
        mixer.add(entry.name.bytes)
        mix(entry.inode, into: &mixer)
      }
    case .file:
      mixer.add(UInt64(inode.sizeBytes))
      for (index, page) in inode.pages.sorted(by: { $0.key < $1.key })
      where page.contains(where: { $0 != 0 }) {
        mixer.add(UInt64(index))
        mixer.add(page)
      }
    case .symbolicLink: mixer.add(inode.target)
    case .fifo, .socket: break
    }
  }
}

/// Two multiply-and-fold lanes over 64-bit words.
private struct Mixer {
  private(set) var high: UInt64 = 0x243F_6A88_85A3_08D3
  private(set) var low: UInt64 = 0x1319_8A2E_0370_7344

  mutating func add(_ word: UInt64) {
    high = Self.fold(high ^ word, 0x9E37_79B9_7F4A_7C15)
    low = Self.fold(low &+ word, 0xD6E8_FEB8_6659_FD93)
  }

  mutating func add(_ bytes: [UInt8]) {
    add(UInt64(bytes.count))
    var start = 0
    while start < bytes.count {
      var word: UInt64 = 0
      for byte in bytes[start..<min(start + 8, bytes.count)] { word = word << 8 | UInt64(byte) }
      add(word)
      start += 8
    }
  }

  private static func fold(_ word: UInt64, _ factor: UInt64) -> UInt64 {
    let product = (word | 1 << 63).multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}
