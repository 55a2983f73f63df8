/// A temporary file of SQLite's. It lives in memory: a phone keeps these outside the app's data,
/// and nobody reads one after the process.
final class MemoryFile: VirtualFile {
  private var bytes: [UInt8] = []

  let isReadOnly = false

  func close() {}

  func read(at offset: Int, count: Int) -> [UInt8] {
    Array(bytes.dropFirst(offset).prefix(count))
  }

  func write(_ new: [UInt8], at offset: Int) {
    truncate(to: max(bytes.count, offset + new.count))
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
  }

  func truncate(to length: Int) {
    bytes.removeLast(max(0, bytes.count - length))
    bytes.append(contentsOf: repeatElement(0, count: length - bytes.count))
  }

  func sync() {}

  func sizeBytes() -> Int { bytes.count }
}
