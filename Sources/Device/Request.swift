/// One call to the device, as FUSE's low-level interface shapes it: inodes and names, not paths.
package enum Request: Sendable {
  // Reads. They change nothing, take no number and stand in no log; armed faults may hit them.
  case lookUp(InodeID, FileName)
  case attributes(InodeID)
  case read(InodeID, offset: Int, count: Int)
  case list(InodeID)
  case readLink(InodeID)
  case statistics
  case extendedAttribute(InodeID, name: String)
  case extendedAttributes(InodeID)

  // Handles. An inode without a name lives until its last handle is released.
  case open(InodeID)
  case release(InodeID)

  // Changes. Each takes a number, and all stand in the log.
  /// Makes a regular file and opens it; an existing one is ``DeviceError/exists``.
  case create(in: InodeID, FileName, Ownership)
  /// Makes a fifo or a socket.
  case makeNode(in: InodeID, FileName, Inode.Kind, Ownership)
  case makeDirectory(in: InodeID, FileName, Ownership)
  case symbolicLink(in: InodeID, FileName, target: [UInt8], Ownership)
  case link(InodeID, in: InodeID, FileName)
  case unlink(in: InodeID, FileName)
  case removeDirectory(in: InodeID, FileName)
  case rename(from: InodeID, FileName, to: InodeID, FileName, RenameMode)
  case write(InodeID, offset: Int, [UInt8])
  case setAttributes(InodeID, AttributeChange)
  case allocate(InodeID, AllocationMode, offset: Int, length: Int)
  case setExtendedAttribute(InodeID, name: String, [UInt8], ExtendedAttributeMode)
  case removeExtendedAttribute(InodeID, name: String)

  // Syncs. They take a number too.
  case sync(InodeID, dataOnly: Bool)
  case syncDirectory(InodeID)

  /// A process says that it reached a logical point.
  case point(String)
}

/// Who owns a new inode, and its permission bits.
package struct Ownership: Equatable, Sendable {
  package var mode: UInt16
  package var user: UInt32
  package var group: UInt32

  package init(mode: UInt16, user: UInt32 = 0, group: UInt32 = 0) {
    self.mode = mode
    self.user = user
    self.group = group
  }
}

/// The attributes that a call changes; `nil` leaves one as it is.
package struct AttributeChange: Equatable, Sendable {
  package var mode: UInt16?
  package var user: UInt32?
  package var group: UInt32?
  package var sizeBytes: Int?
  package var accessedNs: Int64?
  package var modifiedNs: Int64?

  package init() {}

  /// Changes the length only. Models `truncate(2)`.
  package static func truncating(to sizeBytes: Int) -> AttributeChange {
    var change = AttributeChange()
    change.sizeBytes = sizeBytes
    return change
  }
}

/// The flags of `renameat2(2)`.
package enum RenameMode: Equatable, Sendable {
  case replacing
  case noReplace
  case exchange
}

/// The modes of `fallocate(2)` that the device knows.
package enum AllocationMode: Equatable, Sendable {
  case extend
  case keepSize
  case punchHole
  case zeroRange
}

/// The flags of `setxattr(2)`.
package enum ExtendedAttributeMode: Equatable, Sendable {
  case any
  case createOnly
  case replaceOnly
}

/// What a successful request answers.
package enum Response: Equatable, Sendable {
  case none
  /// The attributes of the inode that was named, found or made.
  case attributes(Attributes)
  case data([UInt8])
  /// How many bytes a write took.
  case written(Int)
  case entries([DirectoryEntry])
  case names([String])
  case statistics(Statistics)
}

/// One row of a directory listing.
package struct DirectoryEntry: Equatable, Sendable {
  package let name: FileName
  package let inode: InodeID
  package let kind: Inode.Kind
}

/// What `statfs(2)` answers, in blocks of 4,096 bytes.
package struct Statistics: Equatable, Sendable {
  package let blockCount: Int
  package let freeBlockCount: Int
  package let inodeCount: Int
}

/// What `stat(2)` answers.
package struct Attributes: Equatable, Sendable {
  package var inode: InodeID
  package var kind: Inode.Kind
  package var mode: UInt16
  package var user: UInt32
  package var group: UInt32
  package var linkCount: Int
  package var sizeBytes: Int
  /// In units of 512 bytes, as `st_blocks` counts.
  package var sectorCount: Int
  package var accessedNs: Int64
  package var modifiedNs: Int64
  package var changedNs: Int64
}
