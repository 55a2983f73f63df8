/// A hash of what a volume shows: names, kinds, lengths, contents, extended attributes and link
/// targets of all that a name leads to. Inode numbers, owners, permissions and times do not count.
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
    mixer.add(UInt64(inode.extendedAttributes.count))
    for (name, value) in inode.extendedAttributes.sorted(by: { $0.key < $1.key }) {
      mixer.add(Array(name.utf8))
      mixer.add(value)
    }
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
      mixer.add(UInt64.max)
    case .symbolicLink: mixer.add(inode.target)
    case .fifo, .socket: break
    }
  }
}

/// Two lanes over 64-bit words, each step of which can be undone: words that differ leave both
/// lanes different.
private struct Mixer {
  private(set) var high: UInt64 = 0x243F_6A88_85A3_08D3
  private(set) var low: UInt64 = 0x1319_8A2E_0370_7344

  mutating func add(_ word: UInt64) {
    high = (high ^ word) &* 0x9E37_79B9_7F4A_7C15
    high ^= high >> 32
    low = (low &+ word) &* 0xD6E8_FEB8_6659_FD93
    low ^= low >> 29
  }

  mutating func add(_ bytes: [UInt8]) {
    add(UInt64(bytes.count))
    var start = 0
    while start < bytes.count {
      var word: UInt64 = 0
      for index in start..<min(start + 8, bytes.count) { word = word << 8 | UInt64(bytes[index]) }
      add(word)
      start += 8
    }
  }
}
