import Device
import SQLite

/// All rows of an image, and the image that they make.
struct ImageRows {
  private var tables: [String: [Row]] = [:]
  private let newestOperations: Row?

  init(_ connection: borrowing Connection) throws(DatabaseError) {
    for (table, _) in ImageSchema.columnCounts {
      tables[table] = try connection.rows("SELECT * FROM \(table) ORDER BY rowid").map {
        Row(table: table, values: $0)
      }
    }
    newestOperations = try StoredLog.rows(.newest, connection).first
  }

  /// Whether nothing has been saved yet.
  var isEmpty: Bool { rows("settings").isEmpty }

  private func rows(_ table: String) -> [Row] { tables[table] ?? [] }

  func image(_ setup: DeviceSetup) throws(Damage) -> Image {
    for (table, count) in ImageSchema.columnCounts
    where rows(table).contains(where: { $0.values.count != count }) {
      throw Damage(reason: "the table \(table) has the wrong columns")
    }
    let contents = try contents()
    let views = try views(contents)
    guard let live = views[0], let durable = views[1] else {
      throw Damage(reason: "a view is missing")
    }
    var stored = try device(contents)
    stored.live = live.inodes
    stored.durable = durable.inodes
    let phoneState = try text("phoneState")
    let image = try assemble(stored, views, phoneState, setup)
    try checkSums()
    return image
  }

  private func assemble(
    _ stored: StoredDevice, _ views: [Int64: View], _ phoneState: String, _ setup: DeviceSetup
  ) throws(Damage) -> Image {
    do throws(StoredDevice.Flaw) {
      var image = Image(device: try StorageDevice(stored, setup), phoneState: phoneState)
      for (number, view) in views where number > 1 {
        image.snapshots[view.name] = try Volume(view.inodes)
      }
      return image
    } catch {
      throw Damage(reason: error.reason)
    }
  }

  private func checkSums() throws(Damage) {
    var sums: [String: Int64] = [:]
    for row in rows("checks") { sums[try row.text(0)] = try row.integer(1) }
    for (table, _) in ImageSchema.columnCounts where table != "checks" {
      var checksum = Checksum()
      for row in rows(table) { checksum.add(row.values) }
      guard sums[table] == Int64(bitPattern: checksum.value) else {
        throw Damage(reason: "the table \(table) has another checksum")
      }
    }
  }

  // MARK: - Tables

  private func contents() throws(Damage) -> [Int64: [UInt8]] {
    var contents: [Int64: [UInt8]] = [:]
    for row in rows("contents") { contents[try row.integer(0)] = try row.blob(1) }
    return contents
  }

  private func content(
    _ row: Row, _ column: Int, _ contents: [Int64: [UInt8]]
  ) throws(Damage) -> [UInt8] {
    guard let bytes = contents[try row.integer(column)] else { throw row.damage(column) }
    return bytes
  }

  private struct View {
    let name: String
    var inodes: [StoredInode] = []
    var places: [InodeID: Int] = [:]

    /// The place of the inode that a row belongs to.
    func place(_ row: Row) throws(Damage) -> Int {
      guard let place = places[try row.inode(1)] else { throw row.damage(1) }
      return place
    }
  }

  private func views(_ contents: [Int64: [UInt8]]) throws(Damage) -> [Int64: View] {
    var views: [Int64: View] = [:]
    for row in rows("views") { views[try row.integer(0)] = View(name: try row.text(1)) }
    for row in rows("inodes") {
      let inode = try inode(row)
      let view = try row.integer(0)
      guard let count = views[view]?.inodes.count else { throw row.damage(0) }
      views[view]?.places[inode.id] = count
      views[view]?.inodes.append(inode)
    }
    for row in rows("entries") {
      let child = try row.inode(3)
      let name = FileName(try row.blob(2))
      try change(row, &views) { $0.entries[name] = child }
    }
    for row in rows("attributes") {
      let (name, value) = (try row.text(2), try content(row, 3, contents))
      try change(row, &views) { $0.extendedAttributes[name] = value }
    }
    for row in rows("pages") {
      let index: Int = try row.number(2)
      let page = try content(row, 3, contents)
      try change(row, &views) { $0.pages[index] = page }
    }
    return views
  }

  private func change(
    _ row: Row, _ views: inout [Int64: View], _ body: (inout StoredInode) -> Void
  ) throws(Damage) {
    let number = try row.integer(0)
    guard let place = try views[number]?.place(row) else { throw row.damage(0) }
    guard let slot = views.index(forKey: number) else { throw row.damage(0) }
    body(&views.values[slot].inodes[place])
  }

  private func inode(_ row: Row) throws(Damage) -> StoredInode {
    guard let kind = Inode.Kind(rawValue: try row.number(2)) else { throw row.damage(2) }
    let ownership = Ownership(
      mode: try row.number(3), user: try row.number(4), group: try row.number(5))
    var inode = StoredInode(id: try row.inode(1), kind: kind, ownership: ownership)
    inode.sizeBytes = try row.number(6)
    inode.accessedNs = try row.integer(7)
    inode.modifiedNs = try row.integer(8)
    inode.changedNs = try row.integer(9)
    inode.target = try row.blob(10)
    if row.values[11] != .null { inode.parent = try row.inode(11) }
    inode.name = FileName(try row.blob(12))
    return inode
  }

  // MARK: - The device

  private func device(_ contents: [Int64: [UInt8]]) throws(Damage) -> StoredDevice {
    var stored = StoredDevice()
    for row in rows("domains") {
      guard let profile = PersistenceProfile.named(try row.text(3)) else { throw row.damage(3) }
      stored.domains.append(
        DurabilityDomain(name: try row.text(1), prefix: try row.text(2), profile: profile))
    }
    for row in rows("sealed") { stored.sealedPrefixes.append(try row.text(1)) }
    stored.capacityBytes = try number("capacityBytes")
    stored.nextInode = UInt64(bitPattern: try number("nextInode"))
    stored.lastSequence = try number("lastSequence")
    stored.lastNumber = try number("lastNumber")
    if let newestOperations {
      stored.loggedCount = try StoredLog.segment(newestOperations).endIndex
    }
    stored.itemCount = try number("itemCount")
    stored.itemPoint = try text("itemPoint")
    for row in rows("changes") {
      stored.pending.append(
        StoredChange(
          try change(row, contents), operation: OperationNumber(try row.number(3)),
          sequence: try row.number(0), domain: try row.number(4), timeNs: try row.integer(5),
          item: try row.number(6), isIssued: try row.integer(7) != 0))
    }
    return stored
  }

  private func change(_ row: Row, _ contents: [Int64: [UInt8]]) throws(Damage) -> Change {
    let owner = try row.inode(2)
    switch try row.text(1) {
    case "data":
      return .data(
        owner, page: try row.number(8), offset: try row.number(9),
        try content(row, 11, contents))
    case "size": return .size(owner, from: try row.number(8), to: try row.number(9))
    case "hole":
      let (lower, upper): (Int, Int) = (try row.number(8), try row.number(9))
      guard lower <= upper else { throw row.damage(9) }
      return .hole(owner, lower..<upper)
    case "entry-add":
      return .addEntry(in: owner, FileName(try row.blob(10)), try row.inode(8))
    case "entry-remove":
      return .removeEntry(in: owner, FileName(try row.blob(10)), try row.inode(8))
    case "attribute":
      var attributes = AttributeChange()
      attributes.mode = try row.optional(12)
      attributes.user = try row.optional(13)
      attributes.group = try row.optional(14)
      attributes.accessedNs = try row.optional(15)
      attributes.modifiedNs = try row.optional(16)
      return .attributes(owner, attributes)
    case "xattr":
      let value = row.values[11] == .null ? nil : try content(row, 11, contents)
      let name = String(decoding: try row.blob(10), as: UTF8.self)
      return .extendedAttribute(owner, name: name, value)
    default: throw row.damage(1)
    }
  }

  private func setting(_ name: String) throws(Damage) -> Row {
    for row in rows("settings") where row.values[0].text == name { return row }
    throw Damage(reason: "the setting \(name) is missing")
  }

  private func text(_ name: String) throws(Damage) -> String { try setting(name).text(1) }

  private func number<Number: FixedWidthInteger>(_ name: String) throws(Damage) -> Number {
    try setting(name).number(1)
  }
}
