/// One operation of the log, made when somebody looks at it.
package struct OperationRecord: Equatable, Sendable {
  package let number: OperationNumber
  /// When it was carried out, nanoseconds since 1970.
  package let timeNs: Int64
  package let process: ProcessNumber
  package let kind: OperationKind
  /// The name of the durability domain.
  package let domain: String
  package let path: String
  /// Where a rename or a link leads, or what a symbolic link or point says.
  package let target: String?
  package let offset: Int?
  package let length: Int?
  package let error: DeviceError?
  /// The fault that hit it, by the word of the catalogue.
  package let fault: String?
  /// The changes that this operation left pending; empty under a profile without delay.
  package let pending: [LoggedChange]
  /// What it did for changes that were pending, in the order in which it did it.
  package let settled: [Settlement]
  /// What became of everything that was pending before it, outside any operation.
  package let interlude: Interlude?
}

/// What an operation did for a change that was pending.
package struct Settlement: Equatable, Sendable {
  /// The operation that had left the change pending.
  package let operation: OperationNumber
  package let change: LoggedChange
  /// Whether it survives from now on; else it was only handed to the drive.
  package let isDurable: Bool
}

/// What may happen to all pending changes at once, between two operations.
package enum Interlude: Equatable, Sendable {
  /// The kernel, or the system before a change of its own, made everything durable.
  case writtenBack
  /// A power cut, or a return to an earlier state: everything stored has new inode numbers.
  case restarted
}

extension Request {
  /// The kind by which faults and the log name this request; `nil` for a release.
  package var kind: OperationKind? {
    switch self {
    case .lookUp: .lookUp
    case .attributes, .statistics, .extendedAttribute, .extendedAttributes: .attributes
    case .read, .readLink: .read
    case .list: .list
    case .open: .open
    case .release: nil
    case .create, .makeNode: .create
    case .makeDirectory: .makeDirectory
    case .symbolicLink: .symbolicLink
    case .link: .link
    case .unlink: .unlink
    case .removeDirectory: .removeDirectory
    case .rename: .rename
    case .write: .write
    case .setAttributes(_, let change): change.sizeBytes == nil ? .setAttributes : .truncate
    case .allocate: .allocate
    case .setExtendedAttribute, .removeExtendedAttribute: .setExtendedAttribute
    case .sync: .sync
    case .syncDirectory: .syncDirectory
    case .point: .point
    }
  }

  /// Whether it takes a number and stands in the log.
  package var isNumbered: Bool {
    switch self {
    case .lookUp, .attributes, .read, .list, .readLink, .statistics, .extendedAttribute,
      .extendedAttributes, .open, .release:
      false
    default: true
    }
  }

  /// The directory and name, or the inode, that the request is about.
  var subject: (inode: InodeID, name: FileName?) {
    switch self {
    case .lookUp(let directory, let name), .create(let directory, let name, _),
      .makeNode(let directory, let name, _, _), .makeDirectory(let directory, let name, _),
      .symbolicLink(let directory, let name, _, _), .unlink(let directory, let name),
      .removeDirectory(let directory, let name), .rename(let directory, let name, _, _, _):
      (directory, name)
    case .link(let inode, _, _), .attributes(let inode), .read(let inode, _, _), .list(let inode),
      .readLink(let inode), .extendedAttribute(let inode, _), .extendedAttributes(let inode),
      .open(let inode), .release(let inode), .write(let inode, _, _),
      .setAttributes(let inode, _), .allocate(let inode, _, _, _),
      .setExtendedAttribute(let inode, _, _, _), .removeExtendedAttribute(let inode, _),
      .sync(let inode, _), .syncDirectory(let inode):
      (inode, nil)
    case .statistics, .point: (.root, nil)
    }
  }

  /// The second directory and name, of a rename or a link.
  var destination: (directory: InodeID, name: FileName)? {
    switch self {
    case .rename(_, _, let directory, let name, _), .link(_, let directory, let name):
      (directory, name)
    default: nil
    }
  }

  /// The inodes that it names: the one that it is about, or its directory, and where a rename or a link
  /// leads to.
  package var inodes: (first: InodeID, second: InodeID?) {
    (subject.inode, destination?.directory)
  }

  var extent: (offset: Int?, length: Int?) {
    switch self {
    case .read(_, let offset, let count): (offset, count)
    case .write(_, let offset, let bytes): (offset, bytes.count)
    case .allocate(_, _, let offset, let length): (offset, length)
    case .setAttributes(_, let change): (nil, change.sizeBytes)
    default: (nil, nil)
    }
  }
}
