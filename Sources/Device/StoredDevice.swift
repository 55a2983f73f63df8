/// All that a device keeps across a restart of the lab, as plain data.
///
/// Left out: armed faults, open handles and parked requests, all of which belong to processes that
/// are gone, and the operation log, which goes on where it was.
package struct StoredDevice: Equatable, Sendable {
  package var live: [StoredInode] = []
  package var durable: [StoredInode] = []
  /// In the order in which they became live.
  package var pending: [StoredChange] = []
  /// The named domains, and last the rest.
  package var domains: [DurabilityDomain] = []
  package var capacityBytes = 0
  package var sealedPrefixes: [String] = []
  package var itemPoint = ""
  package var nextInode: UInt64 = 2
  package var lastSequence = 0
  package var lastNumber = 0
  /// How many operations were logged.
  package var loggedCount = 0
  package var itemCount = 0

  package init() {}

  /// Why stored data is no device.
  package struct Flaw: Error, Equatable, Sendable {
    package let reason: String
  }
}

/// One inode of a stored volume.
package struct StoredInode: Equatable, Sendable {
  package var id: InodeID
  package var kind: Inode.Kind
  package var ownership: Ownership
  package var sizeBytes = 0
  package var accessedNs: Int64 = 0
  package var modifiedNs: Int64 = 0
  package var changedNs: Int64 = 0
  /// Where a symbolic link points.
  package var target: [UInt8] = []
  /// The directory and name by which the inode is reached; of several, the newest.
  package var parent: InodeID?
  package var name = FileName([])
  package var pages: [Int: [UInt8]] = [:]
  package var entries: [FileName: InodeID] = [:]
  package var extendedAttributes: [String: [UInt8]] = [:]

  package init(id: InodeID, kind: Inode.Kind, ownership: Ownership) {
    self.id = id
    self.kind = kind
    self.ownership = ownership
  }
}

/// One pending change of a stored device.
package struct StoredChange: Equatable, Sendable {
  package var change: Change
  package var operation: OperationNumber
  package var sequence: Int
  package var domain: Int
  package var timeNs: Int64
  package var item: Int
  package var isIssued: Bool

  package init(
    _ change: Change, operation: OperationNumber, sequence: Int, domain: Int, timeNs: Int64,
    item: Int, isIssued: Bool
  ) {
    self.change = change
    self.operation = operation
    self.sequence = sequence
    self.domain = domain
    self.timeNs = timeNs
    self.item = item
    self.isIssued = isIssued
  }
}

// MARK: - Volumes

extension Volume {
  /// The inodes by number.
  package var stored: [StoredInode] {
    inodes.sorted { $0.key < $1.key }.map { id, inode in
      var stored = StoredInode(
        id: id, kind: inode.kind,
        ownership: Ownership(mode: inode.mode, user: inode.user, group: inode.group))
      stored.sizeBytes = inode.sizeBytes
      stored.accessedNs = inode.accessedNs
      stored.modifiedNs = inode.modifiedNs
      stored.changedNs = inode.changedNs
      stored.target = inode.target
      stored.parent = inode.parent
      stored.name = inode.name
      stored.pages = inode.pages.mapValues(\.bytes)
      stored.entries = inode.entries
      stored.extendedAttributes = inode.extendedAttributes
      return stored
    }
  }

  /// The volume that these inodes are.
  ///
  /// - Throws: ``StoredDevice/Flaw`` when they are not a volume.
  package init(_ stored: [StoredInode]) throws(StoredDevice.Flaw) {
    self.init(at: 0)
    removeAll()
    for inode in stored {
      guard self[inode.id] == nil else {
        throw StoredDevice.Flaw(reason: "inode \(inode.id.number) is there twice")
      }
      insert(try Inode(inode), as: inode.id)
    }
    countDirectories()
    countNames()
    for inode in stored {
      guard let parent = inode.parent else { continue }
      update(inode.id) { $0.preferName(Inode.Place(directory: parent, name: inode.name)) }
    }
    if let problem = problems().first { throw StoredDevice.Flaw(reason: problem) }
  }

  private mutating func countDirectories() {
    for (id, inode) in inodes where inode.kind == .directory {
      let count = inode.entries.values.count { inodes[$0]?.kind == .directory }
      update(id) { $0.directoryCount = count }
    }
  }
}

extension Inode {
  fileprivate init(_ stored: StoredInode) throws(StoredDevice.Flaw) {
    self.init(stored.kind, stored.ownership, at: 0)
    for (index, page) in stored.pages {
      guard (0..<StorageDevice.maximumFileBytes / Self.pageBytes).contains(index),
        page.count == Self.pageBytes
      else { throw StoredDevice.Flaw(reason: "inode \(stored.id.number) has a wrong page") }
      store(page: index, offset: 0, page)
    }
    guard (0...StorageDevice.maximumFileBytes).contains(stored.sizeBytes) else {
      throw StoredDevice.Flaw(reason: "inode \(stored.id.number) has a wrong length")
    }
    resize(from: 0, to: stored.sizeBytes)
    accessedNs = stored.accessedNs
    modifiedNs = stored.modifiedNs
    changedNs = stored.changedNs
    target = stored.target
    entries = stored.entries
    extendedAttributes = stored.extendedAttributes
    loseAllNames(isRoot: stored.id == .root)
  }
}

// MARK: - Devices

extension StorageDevice {
  /// What a restart of the lab must find again.
  package var stored: StoredDevice {
    var stored = StoredDevice()
    stored.live = live.stored
    stored.durable = durable.stored
    stored.pending = pending.ordered.map { change in
      StoredChange(
        change.change, operation: change.operation, sequence: change.sequence,
        domain: change.domain, timeNs: change.timeNs, item: change.item,
        isIssued: change.isIssued)
    }
    stored.domains = domains
    stored.capacityBytes = capacityBytes
    stored.sealedPrefixes = sealedPrefixes
    stored.itemPoint = setup.itemPoint
    stored.nextInode = nextInode
    stored.lastSequence = lastSequence
    stored.lastNumber = lastNumber
    stored.loggedCount = log.endIndex
    stored.itemCount = itemCount
    return stored
  }

  /// The device that was stored, with no process on it: what only a handle kept is gone.
  ///
  /// The limits are those of `setup`; domains, capacity and the item point are the stored ones.
  ///
  /// - Throws: ``StoredDevice/Flaw`` with the first thing that is wrong with the data.
  package init(
    _ stored: StoredDevice, _ setup: DeviceSetup = DeviceSetup()
  ) throws(StoredDevice.Flaw) {
    guard let rest = stored.domains.last else { throw StoredDevice.Flaw(reason: "no domains") }
    var setup = setup
    setup.domains = stored.domains.dropLast()
    setup.restProfile = rest.profile
    setup.capacityBytes = stored.capacityBytes
    setup.itemPoint = stored.itemPoint
    self.init(setup)
    live = try Volume(stored.live)
    durable = try Volume(stored.durable)
    sealedPrefixes = stored.sealedPrefixes
    nextInode = stored.nextInode
    lastSequence = stored.lastSequence
    lastNumber = stored.lastNumber
    log = OperationLog(firstIndex: stored.loggedCount, limit: setup.logLimit)
    itemCount = stored.itemCount
    for change in stored.pending { try restore(change) }
    for (id, inode) in live.inodes.sorted(by: { $0.key < $1.key }) where inode.nameCount == 0 {
      dropIfUnreachable(id)
    }
    if let problem = checkInvariants().first { throw StoredDevice.Flaw(reason: problem) }
  }

  private mutating func restore(_ stored: StoredChange) throws(StoredDevice.Flaw) {
    guard domains.indices.contains(stored.domain), durable[stored.change.owner] != nil,
      stored.change.isInBounds
    else { throw StoredDevice.Flaw(reason: "change \(stored.sequence) fits nothing") }
    pending.append(
      PendingChange(
        change: stored.change, print: stored.change.print, operation: stored.operation,
        sequence: stored.sequence, domain: stored.domain, timeNs: stored.timeNs, item: stored.item,
        isIssued: stored.isIssued))
  }
}

extension Change {
  /// Whether applying it cannot break the rules of pages and lengths.
  fileprivate var isInBounds: Bool {
    let limit = StorageDevice.maximumFileBytes
    switch self {
    case .data(_, let page, let offset, let bytes):
      return (0..<limit / Inode.pageBytes).contains(page) && offset >= 0
        && offset <= Inode.pageBytes && bytes.count <= Inode.pageBytes - offset
    case .size(_, let from, let to):
      return (0...limit).contains(from) && (0...limit).contains(to)
    case .hole(_, let range): return range.lowerBound >= 0 && range.upperBound <= limit
    case .addEntry, .removeEntry, .attributes, .extendedAttribute: return true
    }
  }
}
