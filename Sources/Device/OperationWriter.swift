/// Puts operations one after the other into few bytes; ``OperationReader`` takes them out.
///
/// A record holds, in this order: its number, its time and its process, each as the difference from
/// the record before, kind, domain, path, target, offset, length, error, fault, the changes with
/// their count, what it settled with its count, and what came between it and the record before. Numbers are zigzag varints. A text that was there before is named by its place, so
/// that a path costs its length once. What may be missing has a 0 in its place.
struct OperationWriter: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0
  private var texts = OperationTexts()
  private var before = (number: 0, timeNs: 0, process: 0)

  /// - Complexity: O(*n*) for the bytes of the record's texts and the number of its changes.
  mutating func append(_ record: OperationRecord) {
    let process = Int(record.process.number)
    put(record.number.number &- before.number)
    let timeNs = Int(record.timeNs)
    put(timeNs &- before.timeNs)
    put(process - before.process)
    before = (record.number.number, timeNs, process)
    put(record.kind.rawValue)
    put(record.domain)
    put(record.path)
    put(record.target)
    put(optional: record.offset)
    put(optional: record.length)
    put(optional: record.error?.rawValue)
    put(record.fault)
    put(record.pending.count)
    for change in record.pending { put(change) }
    put(record.settled.count)
    for settlement in record.settled { put(settlement) }
    put(record.interlude.map { $0 == .writtenBack ? 1 : 2 } ?? 0)
    count += 1
  }

  private mutating func put(_ settlement: Settlement) {
    put(settlement.operation.number)
    put(settlement.change)
    put(settlement.isDurable ? 1 : 0)
  }

  private mutating func put(_ change: LoggedChange) {
    put(change.word)
    put(change.owner)
    switch change {
    case .data(_, let page, let offset, let content):
      put(page)
      put(offset)
      put(content)
    case .size(_, let from, let to):
      put(from)
      put(to)
    case .hole(_, let range):
      put(range.lowerBound)
      put(range.upperBound)
    case .addEntry(_, let name, let inode), .removeEntry(_, let name, let inode):
      put(name.bytes)
      put(inode)
    case .attributes(_, let attributes): put(attributes)
    case .extendedAttribute(_, let name, let content):
      put(name)
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
    var rest = UInt(bitPattern: value << 1 ^ value >> (Int.bitWidth - 1))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
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
    bytes += content
  }

  private mutating func put(_ text: String?) {
    guard let text else { return put(0) }
    if let place = texts.place(of: text) { return put(place) }
    put(1)
    put(Array(text.utf8))
  }
}
