/// A hash of what a volume shows: names, kinds, lengths, contents, extended attributes and link
/// targets of all that a name leads to. Inode numbers, owners, permissions and times do not count.
///
/// The sum of one term for each path, so that ``CutWalk`` changes it term by term.
package struct ImageDigest: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  init(_ sum: UInt128) {
    high = UInt64(truncatingIfNeeded: sum >> 64)
    low = UInt64(truncatingIfNeeded: sum)
  }

  /// Reads what ``description`` wrote.
  package init?(_ text: String) {
    guard text.utf8.count == 32, let sum = UInt128(text, radix: 16) else { return nil }
    self.init(sum)
  }

  package var description: String { Self.text(high) + Self.text(low) }

  private static func text(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension ImageHash {
  /// Stands for the path of the root.
  static let root: UInt128 = 1

  /// Stands for a path below another one.
  static func place(of name: FileName, below directory: UInt128) -> UInt128 {
    pair(directory, text(name.bytes))
  }
}

extension Volume {
  /// - Complexity: O(*n*) for all reachable bytes.
  package func digest() -> ImageDigest {
    var sum = ImageHash.pair(ImageHash.root, imageHash(of: .root))
    var known: Set = [InodeID.root]
    var directories = [(id: InodeID.root, place: ImageHash.root)]
    while let (id, place) = directories.popLast() {
      for entry in list(id) where inodes[entry.inode] != nil {
        // As `renumbered(from:)` has it, a directory with two names is at the first.
        guard entry.kind != .directory || known.insert(entry.inode).inserted else { continue }
        let below = ImageHash.place(of: entry.name, below: place)
        sum &+= ImageHash.pair(below, imageHash(of: entry.inode))
        if entry.kind == .directory { directories.append((entry.inode, below)) }
      }
    }
    return ImageDigest(sum)
  }

  private func imageHash(of id: InodeID) -> UInt128 {
    guard let inode = inodes[id] else { return 0 }
    return Inode.imageHash(inode.kind, sizeBytes: inode.sizeBytes, body: inode.bodyHash)
  }
}
