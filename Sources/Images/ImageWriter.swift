import Device
import SQLite

/// Writes one image into the empty tables of a database, inside the caller's transaction.
struct ImageWriter {
  private let checks: Insertion
  private let settings: Insertion
  private let domains: Insertion
  private let sealed: Insertion
  private let views: Insertion
  private let inodes: Insertion
  private let entries: Insertion
  private let attributes: Insertion
  private let pages: Insertion
  private let contents: Insertion
  private let changes: Insertion
  private var knownContents: [[UInt8]: Int64] = [:]

  init(_ connection: borrowing Connection) throws(DatabaseError) {
    checks = try Insertion(connection, "checks")
    settings = try Insertion(connection, "settings")
    domains = try Insertion(connection, "domains")
    sealed = try Insertion(connection, "sealed")
    views = try Insertion(connection, "views")
    inodes = try Insertion(connection, "inodes")
    entries = try Insertion(connection, "entries")
    attributes = try Insertion(connection, "attributes")
    pages = try Insertion(connection, "pages")
    contents = try Insertion(connection, "contents")
    changes = try Insertion(connection, "changes")
  }

  mutating func write(_ image: Image) throws(DatabaseError) {
    let device = image.device.stored
    for (name, value) in Self.settings(of: device) {
      try settings.row([.text(name), .integer(value)])
    }
    try settings.row(["itemPoint", .text(device.itemPoint)])
    try settings.row(["phoneState", .text(image.phoneState)])
    for (position, domain) in device.domains.enumerated() {
      try domains.row([
        .integer(Int64(position)), .text(domain.name), .text(domain.prefix),
        .text(domain.profile.name),
      ])
    }
    for (position, prefix) in device.sealedPrefixes.enumerated() {
      try sealed.row([.integer(Int64(position)), .text(prefix)])
    }
    try write(device.live, view: 0, named: "live")
    try write(device.durable, view: 1, named: "durable")
    for (position, name) in image.snapshots.keys.sorted().enumerated() {
      guard let volume = image.snapshots[name] else { continue }
      try write(volume.stored, view: Int64(position + 2), named: name)
    }
    for change in device.pending { try write(change) }
    let checked = [
      settings, domains, sealed, views, inodes, entries, attributes, pages, contents, changes,
    ]
    for table in checked {
      try checks.row([.text(table.table), .integer(Int64(bitPattern: table.checksum.value))])
    }
  }

  static func settings(of device: StoredDevice) -> [(String, Int64)] {
    [
      ("capacityBytes", Int64(device.capacityBytes)),
      ("nextInode", Int64(bitPattern: device.nextInode)),
      ("lastSequence", Int64(device.lastSequence)),
      ("lastNumber", Int64(device.lastNumber)),
      ("itemCount", Int64(device.itemCount)),
    ]
  }

  private mutating func write(
    _ stored: [StoredInode], view: Int64, named name: String
  ) throws(DatabaseError) {
    try views.row([.integer(view), .text(name)])
    for inode in stored {
      let id = DatabaseValue(inode.id)
      try inodes.row([
        .integer(view), id, .integer(Int64(inode.kind.rawValue)),
        .integer(Int64(inode.ownership.mode)), .integer(Int64(inode.ownership.user)),
        .integer(Int64(inode.ownership.group)), .integer(Int64(inode.sizeBytes)),
        .integer(inode.accessedNs), .integer(inode.modifiedNs), .integer(inode.changedNs),
        .blob(inode.target), inode.parent.map { DatabaseValue($0) } ?? .null,
        .blob(inode.name.bytes),
      ])
      for (name, child) in inode.entries.sorted(by: { $0.key < $1.key }) {
        try entries.row([.integer(view), id, .blob(name.bytes), DatabaseValue(child)])
      }
      for (name, value) in inode.extendedAttributes.sorted(by: { $0.key < $1.key }) {
        try attributes.row([.integer(view), id, .text(name), .integer(try content(value))])
      }
      for (index, page) in inode.pages.sorted(by: { $0.key < $1.key }) {
        try pages.row([
          .integer(view), id, .integer(Int64(index)), .integer(try content(page)),
        ])
      }
    }
  }

  private mutating func write(_ stored: StoredChange) throws(DatabaseError) {
    var first = DatabaseValue.null
    var second = DatabaseValue.null
    var name = DatabaseValue.null
    var bytes: [UInt8]?
    var attributes = AttributeChange()
    switch stored.change {
    case .data(_, let page, let offset, let data):
      (first, second, bytes) = (.integer(Int64(page)), .integer(Int64(offset)), data)
    case .size(_, let from, let to):
      (first, second) = (.integer(Int64(from)), .integer(Int64(to)))
    case .hole(_, let range):
      (first, second) = (.integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound)))
    case .addEntry(_, let entry, let target), .removeEntry(_, let entry, let target):
      (first, name) = (DatabaseValue(target), .blob(entry.bytes))
    case .attributes(_, let change): attributes = change
    case .extendedAttribute(_, let attribute, let value):
      (name, bytes) = (.blob(Array(attribute.utf8)), value)
    }
    let content: DatabaseValue =
      if let bytes { .integer(try content(bytes)) } else { .null }
    try changes.row([
      .integer(Int64(stored.sequence)), .text(stored.change.word),
      DatabaseValue(stored.change.owner), .integer(Int64(stored.operation.number)),
      .integer(Int64(stored.domain)), .integer(stored.timeNs), .integer(Int64(stored.item)),
      .integer(stored.isIssued ? 1 : 0), first, second, name, content,
      DatabaseValue(attributes.mode), DatabaseValue(attributes.user),
      DatabaseValue(attributes.group), DatabaseValue(attributes.accessedNs),
      DatabaseValue(attributes.modifiedNs),
    ])
  }

  /// The number of a row that holds these bytes; equal bytes share one.
  private mutating func content(_ bytes: [UInt8]) throws(DatabaseError) -> Int64 {
    if let known = knownContents[bytes] { return known }
    let id = Int64(knownContents.count + 1)
    try contents.row([.integer(id), .blob(bytes)])
    knownContents[bytes] = id
    return id
  }
}

/// A prepared INSERT into one table.
private final class Insertion {
  let table: String
  private(set) var checksum = Checksum()
  private var statement: Statement

  init(_ connection: borrowing Connection, _ table: String) throws(DatabaseError) {
    self.table = table
    let count = ImageSchema.columnCounts.first { $0.0 == table }?.1 ?? 0
    let places = [String](repeating: "?", count: count).joined(separator: ",")
    statement = try connection.prepare("INSERT INTO \(table) VALUES(\(places))")
  }

  func row(_ values: [DatabaseValue]) throws(DatabaseError) {
    checksum.add(values)
    try statement.bind(values)
    _ = try statement.step()
  }
}

extension DatabaseValue {
  init(_ id: InodeID) {
    self = .integer(Int64(bitPattern: id.number))
  }

  init(_ number: (some FixedWidthInteger)?) {
    self = number.map { .integer(Int64($0)) } ?? .null
  }
}
