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
  var nameCount = 0

  /// Pages by index; a missing one is a hole. Bytes past the end of the file are zero.
  var pages: [Int: [UInt8]] = [:]

  var entries: [FileName: InodeID] = [:]

  /// Where a symbolic link points.
  package internal(set) var target: [UInt8] = []

  var extendedAttributes: [String: [UInt8]] = [:]

  /// The last directory and name that led here; stale once ``nameCount`` is 0.
  var parent: InodeID?
  var name = FileName([])

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
  /// Bytes from `offset`, at most up to the end of the file. Holes read as zeros.
  ///
  /// - Complexity: O(*n*) for the bytes returned.
  package func read(at offset: Int, count: Int) -> [UInt8] {
    let end = min(sizeBytes, offset + min(count, sizeBytes))
    guard offset >= 0, offset < end else { return [] }
    if offset % Self.pageBytes == 0, end - offset == Self.pageBytes {
      return pages[offset / Self.pageBytes] ?? Self.emptyPage
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end - offset)
    var position = offset
    while position < end {
      let start = position % Self.pageBytes
      let length = min(Self.pageBytes - start, end - position)
      if let page = pages[position / Self.pageBytes] {
        bytes.append(contentsOf: page[start..<start + length])
      } else {
        bytes.append(contentsOf: repeatElement(0, count: length))
      }
      position += length
    }
    return bytes
  }

  /// Stores bytes inside one page. The length of the file does not change.
  mutating func store(page index: Int, offset: Int, _ bytes: ArraySlice<UInt8>) {
    precondition(offset + bytes.count <= Self.pageBytes, "a page change stays inside its page")
    if bytes.count == Self.pageBytes {
      pages[index] = Array(bytes)
    } else {
      pages[index, default: Self.emptyPage].replaceSubrange(
        offset..<offset + bytes.count, with: bytes)
    }
  }

  /// Sets the length. Shrinking drops what lies past the new end, so that growing shows zeros.
  mutating func resize(to length: Int) {
    if length < sizeBytes { dropContent(from: length) }
    sizeBytes = length
  }

  /// Forgets every byte from `offset` on.
  mutating func dropContent(from offset: Int) {
    let lastPage = offset / Self.pageBytes
    let keptBytes = offset % Self.pageBytes
    for index in pages.keys where index > lastPage || (index == lastPage && keptBytes == 0) {
      pages[index] = nil
    }
    if keptBytes > 0, pages[lastPage] != nil {
      pages[lastPage]?.replaceSubrange(
        keptBytes..., with: repeatElement(0, count: Self.pageBytes - keptBytes))
    }
  }

  /// Turns whole pages inside the range into holes, and the rest of it into zeros.
  mutating func punch(_ range: Range<Int>) {
    for index in pages.keys {
      let start = index * Self.pageBytes
      let hit = range.clamped(to: start..<start + Self.pageBytes)
      if hit.count == Self.pageBytes {
        pages[index] = nil
      } else if !hit.isEmpty {
        pages[index]?.replaceSubrange(
          hit.lowerBound - start..<hit.upperBound - start, with: repeatElement(0, count: hit.count))
      }
    }
  }
}
