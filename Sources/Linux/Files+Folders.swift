import Glibc

extension Files {
  /// Removes a folder that is empty and in no use; any other is left as it is.
  package static func removeIfEmpty(_ folder: String) {
    _ = unsafe rmdir(folder)
  }

  /// Makes a folder and those above it that are missing.
  package static func makeDirectories(_ path: String) throws(SystemError) {
    guard !exists(path) else { return }
    if let parent = parent(of: path) { try makeDirectories(parent) }
    try makeDirectory(path, permissions: 0o755)
  }

  /// Whether this process may make files there: in the folder, or the lowest one above it that is.
  package static func canWrite(into folder: String) -> Bool {
    var existing = folder
    while !exists(existing) {
      guard let parent = parent(of: existing) else { break }
      existing = parent
    }
    var target = stat()
    return unsafe access(existing, W_OK | X_OK) == 0 && stat(existing, &target) == 0
      && target.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether a file can be written there: what is there is opened and left as it is, and what is not is
  /// made and removed again.
  package static func canWrite(to path: String) -> Bool {
    do throws(SystemError) {
      guard exists(path) else {
        _ = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
        try remove(path)
        return true
      }
      _ = try Descriptor.open(path, O_WRONLY | O_NONBLOCK)
      return true
    } catch {
      // A pipe that nobody reads yet.
      return error.code == ENXIO
    }
  }

  /// The path without its last part; `nil` for one that has no more.
  private static func parent(of path: String) -> String? {
    guard let slash = path.lastIndex(of: "/") else { return path == "." ? nil : "." }
    return slash == path.startIndex ? (path == "/" ? nil : "/") : String(path[..<slash])
  }
}
