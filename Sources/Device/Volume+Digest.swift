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
    digest { inode, _ in inode.imageHash(body: inode.bodyHash) }
  }

  /// The same of what lies below a folder, which need not be there.
  package func digest(below folder: String) -> ImageDigest {
    guard let top = resolve(folder) else { return ImageDigest(0) }
    return digest(below: top) { inode, _ in inode.imageHash(body: inode.bodyHash) }
  }

  /// A hash of the names that a volume shows, of their kinds, and of which names are one file.
  ///
  /// - Parameter folders: What lies below these is left out.
  /// - Returns: The hash.
  /// - Complexity: O(*n*) for all names.
  package func outline(without folders: [String] = []) -> ImageDigest {
    digest(below: .root, without: Set(folders.compactMap { resolve($0) })) { $0.outlineHash($1) }
  }

  /// The same of what lies below a folder, which need not be there.
  package func outline(below folder: String) -> ImageDigest {
    guard let top = resolve(folder) else { return ImageDigest(0) }
    return digest(below: top) { $0.outlineHash($1) }
  }

  /// A hash of all that a file shows but its names and its content; of no file, zero.
  package func labelHash(of file: InodeID) -> UInt128 {
    inodes[file].map { $0.imageHash(body: $0.labelHash) } ?? 0
  }

  /// A hash of one page of a file; zeros count like a hole, and like no file.
  package func contentHash(of file: InodeID, page: Int) -> UInt128 {
    let start = page * Inode.pageBytes
    return inodes[file]?.contentHash(in: start..<start + Inode.pageBytes) ?? 0
  }

  /// A hash of the length and the content of a file; `nil` for what is no file.
  package func contentHash(of file: InodeID) -> UInt128? {
    guard let inode = inodes[file], inode.kind == .file else { return nil }
    return inode.imageHash(body: inode.contentHash(in: 0..<inode.pageBound * Inode.pageBytes))
  }

  /// Asks for a hash of what counts of each inode by itself, given the first place that led there.
  private func digest(
    below top: InodeID = .root, without closed: Set<InodeID> = [],
    _ body: (_ inode: Inode, _ first: UInt128) -> UInt128
  ) -> ImageDigest {
    func term(of id: InodeID, at place: UInt128, _ first: UInt128) -> UInt128 {
      guard let inode = inodes[id] else { return 0 }
      return ImageHash.pair(place, body(inode, first))
    }
    var sum = term(of: top, at: ImageHash.root, ImageHash.root)
    var firsts = [top: ImageHash.root]
    var directories = [(id: top, place: ImageHash.root)]
    while let (id, place) = directories.popLast() {
      for entry in list(id) where inodes[entry.inode] != nil {
        // As `renumbered(from:)` has it, a directory with two names is at the first.
        guard entry.kind != .directory || firsts[entry.inode] == nil else { continue }
        let below = ImageHash.place(of: entry.name, below: place)
        let first = firsts[entry.inode] ?? below
        firsts[entry.inode] = first
        sum &+= term(of: entry.inode, at: below, first)
        if entry.kind == .directory, !closed.contains(entry.inode) {
          directories.append((entry.inode, below))
        }
      }
    }
    return ImageDigest(sum)
  }
}

extension Inode {
  /// All that an image shows of an inode by itself, with this of its body.
  fileprivate func imageHash(body: UInt128) -> UInt128 {
    Self.imageHash(kind, sizeBytes: sizeBytes, body: body)
  }

  /// What its name shows of an inode in a list of names, given the first place that led there.
  fileprivate func outlineHash(_ first: UInt128) -> UInt128 {
    ImageHash.pair(first, UInt128(kind.rawValue))
  }
}
