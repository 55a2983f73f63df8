import Device
import Glibc
import Linux

/// The file calls of an app, on one file system.
final class FileWork {
  private let folder: String
  private let path: String
  private let implementation: String
  private let file: Descriptor
  /// Drawn bytes; each write takes them from another place.
  private let pool: [UInt8]
  private var page = [UInt8](repeating: 0, count: 4 << 10)

  private static let fileBytes = 64 << 10

  /// - Parameters:
  ///   - folder: An empty one, which is the caller's to remove.
  ///   - implementation: What holds it.
  ///   - draws: Where the bytes come from.
  /// - Throws: `SystemError` when the file cannot be made or filled.
  init(in folder: String, _ implementation: String, _ draws: Draws) throws {
    self.folder = folder
    path = "\(folder)/data"
    self.implementation = implementation
    var draws = draws
    pool = (0..<2 * Self.fileBytes).map { _ in UInt8(truncatingIfNeeded: draws.next()) }
    file = try Descriptor.open(path, O_RDWR | O_CREAT, permissions: 0o600)
    try file.write(pool.prefix(Self.fileBytes))
  }

  /// A probe of one case; `share` scales the number of calls.
  func probe(_ which: FileCase, _ share: Int) -> Probe {
    Probe(
      which.rawValue, implementation, bytes: which.bytes, callCount: which.callFactor * share,
      tidy: { [folder] numbers in
        guard which == .newFile else { return }
        for number in numbers { try Files.remove("\(folder)/new-\(number)") }
      },
      call: { [self] number in try call(which, number) })
  }

  private func call(_ which: FileCase, _ number: Int) throws {
    let offset = number * page.count % Self.fileBytes
    switch which {
    case .status:
      var status = stat()
      try check("lstat", folder, unsafe lstat(path, &status))
    case .read:
      try check("pread", folder, unsafe pread(file.number, &page, page.count, offset))
    case .write: try write(which.bytes, number, to: file, at: offset)
    case .largeWrite: try write(which.bytes, number, to: file, at: 0)
    case .sync: try check("fsync", folder, fsync(file.number))
    case .newFile: try store(which.bytes, number, at: "\(folder)/new-\(number)")
    case .replacement:
      try store(which.bytes, number, at: "\(folder)/next")
      try Files.rename("\(folder)/next", to: "\(folder)/kept")
    }
  }

  private func store(_ count: Int, _ number: Int, at path: String) throws {
    let new = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o600)
    try write(count, number, to: new, at: 0)
    try check("fsync", path, fsync(new.number))
  }

  /// Writes the bytes of the pool that stand for the call with this number.
  private func write(_ count: Int, _ number: Int, to file: Descriptor, at offset: Int) throws {
    let start = number * 64 % Self.fileBytes
    let written = unsafe pool.withUnsafeBytes { pool in
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: pool[start..<start + count])
      return unsafe pwrite(file.number, bytes.baseAddress, bytes.count, offset)
    }
    try check("pwrite", folder, written)
  }

  /// All bytes that the work has left.
  func outcome() throws -> [UInt8] {
    try Files.read(path) + Files.read("\(folder)/kept")
  }
}
