/// One file, directory or link of one view.
package struct Inode: Sendable {
  package enum Kind: UInt8, Sendable {
    case file, directory, symbolicLink, fifo, socket
  }

  package let kind: Kind
  package internal(set) var mode: UInt16
  package internal(set) var user: UInt32
  package internal(set) var group: UInt32
  package internal(set) var sizeBytes = 0
  package internal(set) var accessedNs: Int64
  package internal(set) var modifiedNs: Int64
  package internal(set) var changedNs: Int64

  /// How many directory entries lead here. A directory counts only its own name.
  private(set) var nameCount = 0

  /// Pages by index; a missing one is a hole. Bytes past the end of the file are zero.
  private(set) var pages: [Int: Page] = [:]
  /// No page has this index or a higher one.
  private(set) var pageBound = 0

  var entries: [FileName: InodeID] = [:]
  /// How many of the entries lead to directories.
  var directoryCount = 0

  /// What `st_nlink` counts: of a directory its name, its `.` and the `..` of those in it.
  var linkCount: Int {
    kind == .directory && nameCount > 0 ? 2 + directoryCount : nameCount
  }

  /// Where a symbolic link points.
  package internal(set) var target: [UInt8] = []

  package internal(set) var extendedAttributes: [String: [UInt8]] = [:]

  /// The directory and name by which this is reached, the newest of several; stale once
  /// ``nameCount`` is 0.
  private(set) var parent: InodeID?
  private(set) var name = FileName([])
  /// Further names, of a file with hard links; the newest last.
  private(set) var otherNames: [Place] = []

  /// What a page holds, and its share in the content of its file, once somebody has asked for it.
  struct Page: Sendable {
    var bytes: [UInt8] { didSet { share = nil } }
    fileprivate(set) var share: UInt128?
  }

  /// A name in a directory.
  struct Place: Equatable, Sendable {
    let directory: InodeID
    let name: FileName
  }

  init(_ kind: Kind, _ ownership: Ownership, at timeNs: Int64) {
    self.kind = kind
    mode = ownership.mode
    user = ownership.user
    group = ownership.group
    accessedNs = timeNs
    modifiedNs = timeNs
    changedNs = timeNs
  }

  /// The unit of the page cache and of most file systems.
  package static let pageBytes = 4096
  /// The smallest unit that a drive writes whole.
  package static let sectorBytes = 512

  static let emptyPage = [UInt8](repeating: 0, count: pageBytes)
}

// MARK: - Content

extension Inode {
  /// The directory that holds the name by which this is reached; `nil` for the root.
  package var parentDirectory: InodeID? { parent }

  /// Bytes from `offset`, at most up to the end of the file. Holes read as zeros.
  ///
  /// - Complexity: O(*n*) for the bytes returned.
  package func read(at offset: Int, count: Int) -> [UInt8] {
    guard offset >= 0, offset < sizeBytes, count > 0 else { return [] }
    let end = offset + min(count, sizeBytes - offset)
    if offset % Self.pageBytes == 0, end - offset == Self.pageBytes {
      return pages[offset / Self.pageBytes]?.bytes ?? Self.emptyPage
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end - offset)
    var position = offset
    while position < end {
      let start = position % Self.pageBytes
      let length = min(Self.pageBytes - start, end - position)
      let page = pages[position / Self.pageBytes]?.bytes ?? Self.emptyPage
      bytes.append(contentsOf: page[start..<start + length])
      position += length
    }
    return bytes
  }

  /// Stores bytes inside one page. The length of the file does not change.
  mutating func store(page index: Int, offset: Int, _ bytes: [UInt8]) {
    precondition(offset + bytes.count <= Self.pageBytes, "a page change stays inside its page")
    pageBound = max(pageBound, index + 1)
    if bytes.count == Self.pageBytes {
      pages[index] = Page(bytes: bytes)
    } else {
      pages[index, default: Page(bytes: Self.emptyPage)].bytes.replaceSubrange(
        offset..<offset + bytes.count, with: bytes)
    }
  }

  /// Keeps the share of each page, until it changes: whoever asks for a digest of this inode, or of a
  /// copy of it, need not look at those pages again.
  ///
  /// - Complexity: O(*n*) for the bytes of the pages whose share is not known.
  mutating func noteShares() {
    var slot = pages.startIndex
    while slot != pages.endIndex {
      if pages.values[slot].share == nil {
        let start = pages.keys[slot] * Self.pageBytes
        pages.values[slot].share = ImageHash.content(pages.values[slot].bytes[...], at: start)
      }
      pages.formIndex(after: &slot)
    }
  }

  /// Sets the length. Shrinking drops what lies past the new end, so that growing shows zeros.
  ///
  /// - Parameters:
  ///   - former: The length in the live view before; this view may have another one.
  ///   - length: The new length, in bytes.
  mutating func resize(from former: Int, to length: Int) {
    if length < max(former, sizeBytes) { dropContent(from: length) }
    sizeBytes = length
  }

  /// Forgets every byte from `offset` on.
  mutating func dropContent(from offset: Int) {
    punch(offset..<max(offset, pageBound * Self.pageBytes))
    pageBound = min(pageBound, (offset + Self.pageBytes - 1) / Self.pageBytes)
  }

  /// Turns whole pages inside the range into holes, and the rest of it into zeros.
  ///
  /// - Complexity: O(*n*) for the smaller of the pages in the range and the pages of the file.
  mutating func punch(_ range: Range<Int>) {
    let end = min(range.upperBound, pageBound * Self.pageBytes)
    guard range.lowerBound < end else { return }
    let hit = range.lowerBound / Self.pageBytes...(end - 1) / Self.pageBytes
    if hit.count <= pages.count {
      for index in hit { punch(range, inPage: index) }
    } else {
      for index in pages.keys.filter(hit.contains) { punch(range, inPage: index) }
    }
  }

  private mutating func punch(_ range: Range<Int>, inPage index: Int) {
    guard pages[index] != nil else { return }
    let start = index * Self.pageBytes
    let hit = range.clamped(to: start..<start + Self.pageBytes)
    if hit.count == Self.pageBytes {
      pages[index] = nil
    } else {
      pages[index]?.bytes.replaceSubrange(
        hit.lowerBound - start..<hit.upperBound - start, with: repeatElement(0, count: hit.count))
    }
  }
}

// MARK: - Names

extension Inode {
  mutating func gainName(_ place: Place) {
    if nameCount > 0, let parent { otherNames.append(Place(directory: parent, name: name)) }
    nameCount += 1
    parent = place.directory
    name = place.name
  }

  mutating func loseName(_ place: Place) {
    nameCount -= 1
    if parent == place.directory, name == place.name {
      guard let next = otherNames.popLast() else { return }
      parent = next.directory
      name = next.name
    } else {
      otherNames.removeAll { $0 == place }
    }
  }

  /// Makes one of several names the one by which this is reached; an unknown one is only noted
  /// when there is none.
  mutating func preferName(_ place: Place) {
    if nameCount == 0 {
      parent = place.directory
      name = place.name
    } else if let index = otherNames.firstIndex(of: place) {
      otherNames.remove(at: index)
      if let parent { otherNames.append(Place(directory: parent, name: name)) }
      parent = place.directory
      name = place.name
    }
  }

  /// Forgets all names; the root keeps the one that it has by itself.
  mutating func loseAllNames(isRoot: Bool) {
    nameCount = isRoot ? 1 : 0
    parent = nil
    otherNames = []
    directoryCount = 0
  }
}
