import Device
import Linux
import Ports
import Simulation

/// Copies of the databases of a phone, for looking into them with SQLite without touching the phone.
/// They are removed when the value goes away.
final class DatabaseCopies {
  private let folder: String
  private var paths: [String] = []

  /// - Parameter folder: A private folder of the machine.
  init(in folder: String) {
    self.folder = folder
  }

  deinit {
    for path in paths {
      // One that is not there was not made, or SQLite has removed it.
      try? Files.remove(path)
    }
  }

  /// A copy of a database with its journal and WAL, as the next process would find them. The WAL's
  /// index is left out: SQLite makes it anew.
  func copy(of path: String, from files: DeviceFileSystem) -> DatabaseLocation {
    let copy = "\(folder)/database-copy-\(paths.count)"
    for suffix in ["", "-journal", "-wal", "-shm"] {
      paths.append(copy + suffix)
      guard suffix != "-shm", let bytes = contents(of: path + suffix, files) else { continue }
      // A copy that cannot be made shows as a database that cannot be opened.
      try? Files.write(copy + suffix, bytes)
    }
    return DatabaseLocation(vfs: nil, path: copy)
  }

  private func contents(of path: String, _ files: DeviceFileSystem) -> [UInt8]? {
    guard let file = try? files.open(path, .read, permissions: 0) else { return nil }
    defer { files.close(file) }
    let size = (try? files.status(path).sizeBytes) ?? 0
    return try? files.read(file, at: 0, count: size)
  }
}
