import Ports

/// Whole files and trees, from single calls.
extension FileSystem {
  /// Reads a file to its end.
  func contents(of path: String) throws(FileError) -> [UInt8] {
    let file = try open(path, .read, permissions: 0)
    defer { close(file) }
    var bytes: [UInt8] = []
    while true {
      let part = try read(file, at: bytes.count, count: 65_536)
      if part.isEmpty { return bytes }
      bytes += part
    }
  }

  /// Writes all bytes from the start of an open file, in as many calls as it takes.
  func writeAll(_ bytes: [UInt8], to file: FileHandleID) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let rest = done == 0 ? bytes : Array(bytes[done...])
      let taken = try write(file, rest, at: done)
      guard taken > 0 else {
        throw FileError(call: "write", path: "", code: FileError.inputOutput)
      }
      done += taken
    }
  }

  /// Makes an empty file where there is none.
  func createIfMissing(_ path: String, permissions: UInt16) throws(FileError) {
    do {
      close(try open(path, .createNew, permissions: permissions))
    } catch {
      guard error.code == FileError.exists else { throw error }
    }
  }

  /// Makes a directory and those above it that are missing.
  func makeDirectories(_ path: String, permissions: UInt16) throws(FileError) {
    do {
      try makeDirectory(path, permissions: permissions)
    } catch {
      switch error.code {
      case FileError.exists:
        return
      case FileError.noEntry where path.contains("/"):
        let parent = Path.directory(of: path)
        guard !parent.isEmpty else { throw error }
        try makeDirectories(parent, permissions: permissions)
        try makeDirectory(path, permissions: permissions)
      default:
        throw error
      }
    }
  }

  /// Removes a file, or a directory and everything below it, depth first, in the order of names.
  ///
  /// - Throws: The first failure; what was removed before it is gone.
  func removeTree(_ path: String) throws(FileError) {
    guard try status(path).kind == .directory else { return try unlink(path) }
    for name in try list(path) { try removeTree("\(path)/\(name)") }
    try removeDirectory(path)
  }

  /// The kind of what is there, or `nil` when nothing is, or nothing can be seen.
  func kind(of path: String) -> FileStatus.Kind? {
    do {
      return try status(path).kind
    } catch {
      // `fileExists(atPath:)` of the modelled libraries answers no for every error as well.
      return nil
    }
  }
}
