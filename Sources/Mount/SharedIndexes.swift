import Device

/// What the kernel has written back of the indexes of WALs (`-shm`), beside the device.
///
/// Connections share an index as memory, and SQLite builds it anew whenever nobody has it open: its
/// bytes count for nothing in what is stored. When the kernel writes them back is nobody's doing either.
/// So they are kept for as long as the mount shows that file, take no number, and no power cut or image
/// sees them. Name and length are the device's, as those of any file.
struct SharedIndexes {
  private var pages: [InodeID: [Int: [UInt8]]] = [:]

  /// Takes bytes that the kernel itself writes inside an index.
  ///
  /// - Returns: The answer; `nil` for anything else, which is the device's.
  mutating func take(_ call: Call, on device: StorageDevice) -> Response? {
    guard call.caller.thread == 0, case .write(let id, let offset, let bytes) = call.request,
      let size = device.live[id]?.sizeBytes, offset % Inode.pageBytes == 0,
      offset + bytes.count <= size, device.live.path(of: id).hasSuffix("-shm")
    else { return nil }
    for start in stride(from: 0, to: bytes.count, by: Inode.pageBytes) {
      pages[id, default: [:]][(offset + start) / Inode.pageBytes] =
        Array(bytes[start...].prefix(Inode.pageBytes))
    }
    return .written(bytes.count)
  }

  /// What a read of the device shows, with what was taken.
  func shown(_ bytes: [UInt8], by request: Request) -> [UInt8] {
    guard case .read(let id, let offset, _) = request, let known = pages[id] else { return bytes }
    var shown = bytes
    for (page, content) in known {
      let start = page * Inode.pageBytes
      let (first, end) = (max(start, offset), min(start + content.count, offset + bytes.count))
      guard first < end else { continue }
      shown.replaceSubrange(
        first - offset..<end - offset, with: content[first - start..<end - start])
    }
    return shown
  }

  /// A file was cut off: SQLite begins an index anew.
  mutating func note(_ request: Request) {
    if case .setAttributes(let id, let change) = request, change.sizeBytes != nil {
      pages[id] = nil
    }
  }

  mutating func forgetAll() {
    pages = [:]
  }
}
