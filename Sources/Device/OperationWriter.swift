/// Puts operations one after the other into few bytes; ``OperationReader`` takes them out.
///
/// A record holds, in this order: its number, its time and its process, each as the difference from
/// the record before, kind, domain, path, target, offset, length, error, fault, the changes with
/// their count, what it settled with its count, and what came between it and the record before.
/// Numbers are zigzag varints. A text that was there before is named by its place, so that a path
/// costs its length once. What may be missing has a 0 in its place.
struct OperationWriter: Sendable {
  private(set) var count = 0
  private(set) var byteCount = 0
  /// The bytes, and room for more: to append one by one asks each time whether somebody else holds
  /// the array.
  private var room: [UInt8] = []
  private var texts = OperationTexts()
  private var before = (number: 0, timeNs: 0, process: 0)

  /// Where the bytes go, which has room for all that is put there at once.
  private typealias Room = MutableSpan<UInt8>

  /// The most bytes that one number takes.
  private static let numberBytes = 10
  /// The most numbers of a record but for its changes, and of a change.
  private static let headNumbers = 24
  private static let changeNumbers = 20
  /// How far the room grows at least.
  private static let roomBytes = 512

  /// - Complexity: O(*n*).
  var bytes: [UInt8] { Array(room[..<byteCount]) }

  /// - Complexity: O(*n*) for the bytes of the record's texts and the number of its changes.
  mutating func append(_ record: OperationRecord) {
    withRoom(Self.headNumbers, and: record.textBytes) { $0.putHead(record, &$1) }
    for index in record.pending.indices { put(record.pending[index]) }
    withRoom(1) { $0.put(record.settled.count, &$1) }
    for index in record.settled.indices { put(record.settled[index]) }
    withRoom(1) { $0.put(record.interlude.map { $0 == .writtenBack ? 1 : 2 } ?? 0, &$1) }
    count += 1
  }

  private mutating func putHead(_ record: OperationRecord, _ room: inout Room) {
    let process = Int(record.process.number)
    put(record.number.number &- before.number, &room)
    let timeNs = Int(record.timeNs)
    put(timeNs &- before.timeNs, &room)
    put(process - before.process, &room)
    before = (record.number.number, timeNs, process)
    put(record.kind.rawValue, as: .kind, &room)
    put(record.domain, as: .domain, &room)
    put(record.path, as: .path, &room)
    put(record.target, as: .target, &room)
    put(optional: record.offset, &room)
    put(optional: record.length, &room)
    put(optional: record.error?.rawValue, &room)
    put(record.fault, as: .fault, &room)
    put(record.pending.count, &room)
  }

  private mutating func put(_ settlement: Settlement) {
    withRoom(1) { $0.put(settlement.operation.number, &$1) }
    put(settlement.change)
    withRoom(1) { $0.put(settlement.isDurable ? 1 : 0, &$1) }
  }

  private mutating func put(_ change: LoggedChange) {
    withRoom(Self.changeNumbers, and: change.textBytes) { $0.put(change, &$1) }
  }

  private mutating func put(_ change: LoggedChange, _ room: inout Room) {
    put(change.word, as: .change, &room)
    switch change {
    case .data(let inode, let page, let offset, let content):
      put(inode, &room)
      put(page, &room)
      put(offset, &room)
      put(content, &room)
    case .size(let inode, let from, let to):
      put(inode, &room)
      put(from, &room)
      put(to, &room)
    case .hole(let inode, let range):
      put(inode, &room)
      put(range.lowerBound, &room)
      put(range.upperBound, &room)
    case .addEntry(let directory, let name, let inode),
      .removeEntry(let directory, let name, let inode):
      put(directory, &room)
      put(name.bytes, &room)
      put(inode, &room)
    case .attributes(let inode, let attributes):
      put(inode, &room)
      put(attributes, &room)
    case .extendedAttribute(let inode, let name, let content):
      put(inode, &room)
      put(name, as: .attribute, &room)
      put(optional: content?.count, &room)
    }
  }

  private mutating func put(_ content: LoggedBytes, _ room: inout Room) {
    put(content.count, &room)
    guard let print = content.print else { return put(0, &room) }
    put(1, &room)
    put(Int(bitPattern: UInt(print.beginning)), &room)
    put(Int(bitPattern: UInt(print.whole)), &room)
  }

  private mutating func put(_ attributes: AttributeChange, _ room: inout Room) {
    put(optional: attributes.mode, &room)
    put(optional: attributes.user, &room)
    put(optional: attributes.group, &room)
    put(optional: attributes.sizeBytes, &room)
    put(optional: attributes.accessedNs, &room)
    put(optional: attributes.modifiedNs, &room)
  }

  // MARK: - Values

  /// Runs `body` with room for some numbers and the bytes of texts.
  @inline(__always)
  private mutating func withRoom(
    _ numberCount: Int, and textBytes: Int = 0, _ body: (inout Self, inout Room) -> Void
  ) {
    let missing = byteCount + numberCount * Self.numberBytes + textBytes - room.count
    if missing > 0 {
      room += repeatElement(0, count: max(missing, room.count, Self.roomBytes))
    }
    // Out of `self`, so that `body` may change the rest of it.
    var bytes: [UInt8] = []
    swap(&bytes, &room)
    var span = bytes.mutableSpan
    body(&self, &span)
    swap(&bytes, &room)
  }

  @inline(__always)
  private mutating func put(_ value: Int, _ room: inout Room) {
    var rest = UInt(bitPattern: value << 1 ^ value >> (Int.bitWidth - 1))
    while rest >= 0x80 {
      room[byteCount] = UInt8(truncatingIfNeeded: rest) | 0x80
      byteCount += 1
      rest >>= 7
    }
    room[byteCount] = UInt8(truncatingIfNeeded: rest)
    byteCount += 1
  }

  private mutating func put(optional value: (some FixedWidthInteger)?, _ room: inout Room) {
    guard let value else { return put(0, &room) }
    put(1, &room)
    put(Int(value), &room)
  }

  private mutating func put(_ inode: InodeID, _ room: inout Room) {
    put(Int(truncatingIfNeeded: inode.number), &room)
  }

  private mutating func put(_ content: some Collection<UInt8>, _ room: inout Room) {
    put(content.count, &room)
    for byte in content {
      room[byteCount] = byte
      byteCount += 1
    }
  }

  private mutating func put(
    _ text: String?, as role: OperationTexts.Role, _ room: inout Room
  ) {
    guard let text else { return put(0, &room) }
    if let place = texts.place(of: text, as: role) { return put(place, &room) }
    put(1, &room)
    put(text.utf8, &room)
  }
}

extension OperationRecord {
  /// How many bytes its texts have, but for those of its changes.
  fileprivate var textBytes: Int {
    kind.rawValue.utf8.count + domain.utf8.count + path.utf8.count + (target?.utf8.count ?? 0)
      + (fault?.utf8.count ?? 0)
  }
}

extension LoggedChange {
  /// How many bytes its word and its names have.
  fileprivate var textBytes: Int {
    let names =
      switch self {
      case .data, .size, .hole, .attributes: 0
      case .addEntry(_, let name, _), .removeEntry(_, let name, _): name.bytes.count
      case .extendedAttribute(_, let name, _): name.utf8.count
      }
    return word.utf8.count + names
  }
}
