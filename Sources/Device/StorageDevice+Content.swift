extension StorageDevice {
  /// The largest offset that a file of this device may reach, in bytes; ext4's limit.
  static let maximumFileBytes = 1 << 44

  mutating func write(
    _ id: InodeID, _ bytes: [UInt8], at offset: Int, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    let (kind, size) = try kindAndSize(of: id)
    guard kind == .file, offset >= 0 else { throw .invalid }
    guard offset < Self.maximumFileBytes else { throw .fileTooLarge }
    let end = min(offset + bytes.count, Self.maximumFileBytes)
    var position = offset
    while position < end {
      let page = position / Inode.pageBytes
      guard freePageCount > 0 || live.hasPage(page, of: id) else { break }
      let start = position % Inode.pageBytes
      let length = min(Inode.pageBytes - start, end - position)
      let from = position - offset
      let part = length == bytes.count ? bytes : Array(bytes[from..<from + length])
      commit(.data(id, page: page, offset: start, part), at: timeNs)
      position += length
    }
    if position == offset, !bytes.isEmpty { throw .noSpace }
    if position > size { commit(.size(id, from: size, to: position), at: timeNs) }
    return .written(position - offset)
  }

  /// Only what a change of content needs of an inode: a copy of it would make its pages be copied too.
  mutating func kindAndSize(of id: InodeID) throws(DeviceError) -> (kind: Inode.Kind, size: Int) {
    guard let found = live.update(id, { (kind: $0.kind, size: $0.sizeBytes) }) else { throw .stale }
    return found
  }

  mutating func setAttributes(
    _ id: InodeID, _ change: AttributeChange, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    let (kind, former) = try kindAndSize(of: id)
    if let size = change.sizeBytes {
      guard kind == .file, size >= 0 else { throw .invalid }
      guard size <= Self.maximumFileBytes else { throw .fileTooLarge }
      commit(.size(id, from: former, to: size), at: timeNs)
    }
    var rest = change
    rest.sizeBytes = nil
    if rest != AttributeChange() { commit(.attributes(id, rest), at: timeNs) }
    return attributes(id)
  }

  /// Grows, empties or checks for room. Nothing is reserved: a later write may still find the
  /// device full.
  mutating func allocate(
    _ id: InodeID, _ mode: AllocationMode, _ offset: Int, _ length: Int, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    let (kind, size) = try kindAndSize(of: id)
    guard kind == .file, offset >= 0, length > 0 else { throw .invalid }
    let (end, overflow) = offset.addingReportingOverflow(length)
    guard !overflow, end <= Self.maximumFileBytes else { throw .fileTooLarge }
    switch mode {
    case .extend, .keepSize:
      let pages = offset / Inode.pageBytes...(end - 1) / Inode.pageBytes
      let present = try existing(id).pages.keys.count(where: pages.contains)
      guard pages.count - present <= freePageCount else { throw .noSpace }
    case .punchHole:
      commit(.hole(id, offset..<min(end, max(offset, size))), at: timeNs)
    case .zeroRange:
      commit(.hole(id, offset..<end), at: timeNs)
    }
    if mode == .extend || mode == .zeroRange, end > size {
      commit(.size(id, from: size, to: end), at: timeNs)
    }
    return .none
  }

  mutating func setExtendedAttribute(
    _ id: InodeID, _ name: String, _ value: [UInt8], _ mode: ExtendedAttributeMode, _ timeNs: Int64
  ) throws(DeviceError) -> Response {
    let isThere = try existing(id).extendedAttributes[name] != nil
    if mode == .createOnly, isThere { throw .exists }
    if mode == .replaceOnly, !isThere { throw .noData }
    commit(.extendedAttribute(id, name: name, value), at: timeNs)
    return .none
  }
}
