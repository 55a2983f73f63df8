/// The smallest thing that a power cut keeps or loses: a micro-operation, with its bytes.
package typealias Change = MicroOperation<[UInt8]>

/// A micro-operation as the log keeps it.
package typealias LoggedChange = MicroOperation<LoggedBytes>

/// What a change is, whatever stands for the bytes that it brings.
package enum MicroOperation<Content: Equatable & Sendable>: Equatable, Sendable {
  /// Bytes inside one page; may be torn at sectors.
  case data(InodeID, page: Int, offset: Int, Content)
  case size(InodeID, from: Int, to: Int)
  /// A range becomes a hole or zeros.
  case hole(InodeID, Range<Int>)
  case addEntry(in: InodeID, FileName, InodeID)
  case removeEntry(in: InodeID, FileName, InodeID)
  case attributes(InodeID, AttributeChange)
  /// `nil` removes it.
  case extendedAttribute(InodeID, name: String, Content?)

  /// The inode whose sync makes this durable: a directory for entries, else the file.
  @inline(__always)
  package var owner: InodeID {
    switch self {
    case .data(let inode, _, _, _), .size(let inode, _, _), .hole(let inode, _),
      .attributes(let inode, _), .extendedAttribute(let inode, _, _):
      inode
    case .addEntry(let directory, _, _), .removeEntry(let directory, _, _): directory
    }
  }

  @inline(__always)
  package var isData: Bool {
    switch self {
    case .data, .hole: true
    case .size, .addEntry, .removeEntry, .attributes, .extendedAttribute: false
    }
  }

  /// Bytes, which a power cut may tear.
  var isPageData: Bool {
    if case .data = self { true } else { false }
  }

  var isSize: Bool {
    if case .size = self { true } else { false }
  }

  /// The name and the inode of an entry that comes or goes.
  @inline(__always)
  var entry: (name: FileName, target: InodeID)? {
    switch self {
    case .addEntry(_, let name, let target), .removeEntry(_, let name, let target): (name, target)
    default: nil
    }
  }

  /// The word in the operation log.
  @inline(__always)
  package var word: String {
    switch self {
    case .data: "data"
    case .size: "size"
    case .hole: "hole"
    case .addEntry: "entry-add"
    case .removeEntry: "entry-remove"
    case .attributes: "attribute"
    case .extendedAttribute: "xattr"
    }
  }
}

extension Change {
  /// Of bytes at the beginning of a file.
  ///
  /// - Complexity: O(*n*) for the bytes.
  var print: DigitsPrint? {
    guard case .data(_, 0, 0, let bytes) = self else { return nil }
    return DigitsPrint(of: bytes)
  }

  /// What the log keeps of the change, which has this ``print``.
  @inline(__always)
  func logged(_ print: DigitsPrint?) -> LoggedChange {
    switch self {
    case .data(let inode, let page, let offset, let bytes):
      .data(inode, page: page, offset: offset, LoggedBytes(count: bytes.count, print: print))
    case .size(let inode, let from, let to): .size(inode, from: from, to: to)
    case .hole(let inode, let range): .hole(inode, range)
    case .addEntry(let directory, let name, let inode): .addEntry(in: directory, name, inode)
    case .removeEntry(let directory, let name, let inode): .removeEntry(in: directory, name, inode)
    case .attributes(let inode, let change): .attributes(inode, change)
    case .extendedAttribute(let inode, let name, let value):
      .extendedAttribute(inode, name: name, value.map { LoggedBytes(count: $0.count) })
    }
  }
}

/// A change that is live and not yet durable.
struct PendingChange: Sendable {
  let change: Change
  /// The ``MicroOperation/print`` of the change.
  let print: DigitsPrint?
  let operation: OperationNumber
  /// The order in which changes became live, on the whole device.
  let sequence: Int
  /// That of the path of the file or the name, as it is now.
  var domain: Int
  let timeNs: Int64
  /// Which item of an `atomic-item` domain it belongs to.
  let item: Int
  /// Whether a sync handed it to the drive, without a barrier.
  var isIssued = false

  var logged: LoggedChange { change.logged(print) }
}
