/// Puts operations one after the other into few bytes; ``OperationReader`` takes them out.
///
/// A record holds, in this order: its number, its time and its process, each as the difference from
/// the record before, kind, domain, path, target, offset, length, error, fault, the changes with
/// their count, what it settled with its count, and what came between it and the record before. Numbers are zigzag varints. A text that was there before is named by its place, so
/// that a path costs its length once. What may be missing has a 0 in its place.
struct OperationWriter: Sendable {
  private(set) var count = 0
  private(set) var byteCount = 0
  /// The bytes, and room for more: to append one by one asks each time whether somebody else holds
  /// the array.
  private var room: [UInt8] = []
  private var texts = OperationTexts()
  private var before = (number: 0, timeNs: 0, process: 0)

  /// The most bytes that one number takes.
  private static let numberBytes = 10
  /// How far the room grows at least.
  private static let roomBytes = 512

  /// - Complexity: O(*n*).
  var bytes: [UInt8] { Array(room[..<byteCount]) }

  /// - Complexity: O(*n*) for the bytes of the record's texts and the number of its changes.
  mutating func append(_ record: OperationRecord) {
    let process = Int(record.process.number)
    put(record.number.number &- before.number)
    let timeNs = Int(record.timeNs)
    put(timeNs &- before.timeNs)
    put(process - before.process)
    before = (record.number.number, timeNs, process)
    put(record.kind.rawValue, as: .kind)
    put(record.domain, as: .domain)
    put(record.path, as: .path)
    put(record.target, as: .target)
    put(optional: record.offset)
    put(optional: record.length)
    put(optional: record.error?.rawValue)
    put(record.fault, as: .fault)
    put(record.pending.count)
    for index in record.pending.indices { put(record.pending[index]) }
    put(record.settled.count)
    for index in record.settled.indices { put(record.settled[index]) }
    put(record.interlude.map { $0 == .writtenBack ? 1 : 2 } ?? 0)
    count += 1
  }

  private mutating func put(_ settlement: Settlement) {
    put(settlement.operation.number)
    put(settlement.change)
    put(settlement.isDurable ? 1 : 0)
  }

  private mutating func put(_ change: LoggedChange) {
    put(change.word, as: .change)
    switch change {
    case .data(let inode, let page, let offset, let content):
      put(inode)
      put(page)
      put(offset)
      put(content)
    case .size(let inode, let from, let to):
      put(inode)
      put(from)
      put(to)
    case .hole(let inode, let range):
      put(inode)
      put(range.lowerBound)
      put(range.upperBound)
    case .addEntry(let directory, let name, let inode),
      .removeEntry(let directory, let name, let inode):
      put(directory)
      put(name.bytes)
      put(inode)
    case .attributes(let inode, let attributes):
      put(inode)
      put(attributes)
    case .extendedAttribute(let inode, let name, let content):
      put(inode)
      put(name, as: .attribute)
      put(optional: content?.count)
    }
  }

  private mutating func put(_ content: LoggedBytes) {
    put(content.count)
    guard let print = content.print else { return put(0) }
    put(1)
    put(Int(bitPattern: UInt(print.beginning)))
    put(Int(bitPattern: UInt(print.whole)))
  }

  private mutating func put(_ attributes: AttributeChange) {
    put(optional: attributes.mode)
    put(optional: attributes.user)
    put(optional: attributes.group)
    put(optional: attributes.sizeBytes)
    put(optional: attributes.accessedNs)
    put(optional: attributes.modifiedNs)
  }

  // MARK: - Values

  private mutating func put(_ value: Int) {
    makeRoom(for: Self.numberBytes)
    var rest = UInt(bitPattern: value << 1 ^ value >> (Int.bitWidth - 1))
    var end = byteCount
    var room = room.mutableSpan
    while rest >= 0x80 {
      room[end] = UInt8(truncatingIfNeeded: rest) | 0x80
      end += 1
      rest >>= 7
    }
    room[end] = UInt8(truncatingIfNeeded: rest)
    byteCount = end + 1
  }

  private mutating func makeRoom(for count: Int) {
    let missing = byteCount + count - room.count
    guard missing > 0 else { return }
    room += repeatElement(0, count: max(missing, room.count, Self.roomBytes))
  }

  private mutating func put(optional value: (some FixedWidthInteger)?) {
    guard let value else { return put(0) }
    put(1)
    put(Int(value))
  }

  private mutating func put(_ inode: InodeID) {
    put(Int(truncatingIfNeeded: inode.number))
  }

  private mutating func put(_ content: [UInt8]) {
    put(content.count)
    makeRoom(for: content.count)
    room.replaceSubrange(byteCount..<byteCount + content.count, with: content)
    byteCount += content.count
  }

  private mutating func put(_ text: String?, as role: OperationTexts.Role) {
    guard let text else { return put(0) }
    if let place = texts.place(of: text, as: role) { return put(place) }
    put(1)
    put(Array(text.utf8))
  }
}
