/// Takes operations out of the bytes of an ``OperationWriter``.
struct OperationReader {
  private let bytes: [UInt8]
  private var position = 0
  private var texts: [String] = []
  private var before = (number: 0, timeNs: 0, process: 0)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }

  /// The next records.
  ///
  /// - Throws: ``StoredDevice/Flaw`` when the bytes are none of a writer's.
  mutating func records(_ count: Int) throws(StoredDevice.Flaw) -> [OperationRecord] {
    guard (0...bytes.count - position).contains(count) else { throw flaw }
    var records: [OperationRecord] = []
    records.reserveCapacity(count)
    for _ in 0..<count { records.append(try record()) }
    return records
  }

  private mutating func record() throws(StoredDevice.Flaw) -> OperationRecord {
    before.number &+= try number()
    before.timeNs &+= try number()
    before.process &+= try number()
    guard let process = Int32(exactly: before.process) else { throw flaw }
    guard let kind = OperationKind(rawValue: try text()) else { throw flaw }
    let (domain, path, target) = (try text(), try text(), try optionalText())
    let (offset, length): (Int?, Int?) = (try optional(), try optional())
    return OperationRecord(
      number: OperationNumber(before.number), timeNs: Int64(before.timeNs),
      process: ProcessNumber(process), kind: kind, domain: domain, path: path, target: target,
      offset: offset, length: length, error: try error(), fault: try optionalText(),
      pending: try list { reader throws(StoredDevice.Flaw) in try reader.change() },
      settled: try list { reader throws(StoredDevice.Flaw) in try reader.settlement() },
      interlude: try interlude())
  }

  private mutating func settlement() throws(StoredDevice.Flaw) -> Settlement {
    Settlement(
      operation: OperationNumber(try number()), change: try change(),
      isDurable: try number() != 0)
  }

  private mutating func interlude() throws(StoredDevice.Flaw) -> Interlude? {
    switch try number() {
    case 0: nil
    case 1: .writtenBack
    case 2: .restarted
    default: throw flaw
    }
  }

  private mutating func error() throws(StoredDevice.Flaw) -> DeviceError? {
    let code: Int32? = try optional()
    guard let code else { return nil }
    guard let error = DeviceError(rawValue: code) else { throw flaw }
    return error
  }

  private mutating func list<Value>(
    _ next: (inout OperationReader) throws(StoredDevice.Flaw) -> Value
  ) throws(StoredDevice.Flaw) -> [Value] {
    let count = try number()
    guard (0...bytes.count - position).contains(count) else { throw flaw }
    var values: [Value] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(try next(&self)) }
    return values
  }

  private mutating func change() throws(StoredDevice.Flaw) -> LoggedChange {
    let (word, owner) = (try text(), try inode())
    switch word {
    case "data":
      return .data(owner, page: try number(), offset: try number(), try loggedBytes())
    case "size": return .size(owner, from: try number(), to: try number())
    case "hole":
      let (lower, upper) = (try number(), try number())
      guard lower <= upper else { throw flaw }
      return .hole(owner, lower..<upper)
    case "entry-add": return .addEntry(in: owner, FileName(try content()), try inode())
    case "entry-remove": return .removeEntry(in: owner, FileName(try content()), try inode())
    case "attribute": return .attributes(owner, try attributes())
    case "xattr":
      let (name, count): (String, Int?) = (try text(), try optional())
      return .extendedAttribute(owner, name: name, count.map { LoggedBytes(count: $0) })
    default: throw flaw
    }
  }

  private mutating func loggedBytes() throws(StoredDevice.Flaw) -> LoggedBytes {
    let count = try number()
    guard try number() != 0 else { return LoggedBytes(count: count) }
    let (beginning, whole) = (try number(), try number())
    return LoggedBytes(
      count: count,
      print: DigitsPrint(
        beginning: UInt64(UInt(bitPattern: beginning)), whole: UInt64(UInt(bitPattern: whole))))
  }

  private mutating func attributes() throws(StoredDevice.Flaw) -> AttributeChange {
    var attributes = AttributeChange()
    attributes.mode = try optional()
    attributes.user = try optional()
    attributes.group = try optional()
    attributes.sizeBytes = try optional()
    attributes.accessedNs = try optional()
    attributes.modifiedNs = try optional()
    return attributes
  }

  // MARK: - Values

  private var flaw: StoredDevice.Flaw {
    StoredDevice.Flaw(reason: "operations that end or go wrong at byte \(position)")
  }

  private mutating func number() throws(StoredDevice.Flaw) -> Int {
    var (value, shift): (UInt, UInt) = (0, 0)
    while position < bytes.count, shift < UInt.bitWidth {
      let byte = bytes[position]
      position += 1
      value |= UInt(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { return Int(bitPattern: value >> 1) ^ -Int(bitPattern: value & 1) }
    }
    throw flaw
  }

  private mutating func optional<Value: FixedWidthInteger>() throws(StoredDevice.Flaw) -> Value? {
    guard try number() != 0 else { return nil }
    guard let value = Value(exactly: try number()) else { throw flaw }
    return value
  }

  private mutating func inode() throws(StoredDevice.Flaw) -> InodeID {
    InodeID(UInt64(truncatingIfNeeded: try number()))
  }

  private mutating func content() throws(StoredDevice.Flaw) -> [UInt8] {
    let count = try number()
    guard (0...bytes.count - position).contains(count) else { throw flaw }
    position += count
    return Array(bytes[position - count..<position])
  }

  private mutating func text() throws(StoredDevice.Flaw) -> String {
    guard let text = try optionalText() else { throw flaw }
    return text
  }

  private mutating func optionalText() throws(StoredDevice.Flaw) -> String? {
    let place = try number()
    switch place {
    case 0: return nil
    case 1:
      guard let text = String(validating: try content(), as: UTF8.self) else { throw flaw }
      texts.append(text)
      return text
    default:
      guard place > 1, place < texts.count + 2 else { throw flaw }
      return texts[place - 2]
    }
  }
}
