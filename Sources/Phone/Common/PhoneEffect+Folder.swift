package import Ports

extension PhoneEffect {
  /// Carries out what sets up a new phone, in a plain folder.
  ///
  /// - Parameter files: The files of the folder.
  /// - Throws: `FileError`; what was made before is there.
  package func setUp(on files: any FileSystem) throws(FileError) {
    switch self {
    case .makeTree(let path):
      var place = ""
      for name in path.split(separator: "/") {
        place += "/\(name)"
        if files.kind(of: place) == nil { try files.makeDirectory(place, permissions: 0o755) }
      }
    case .writeFile(let path, let bytes, let permissions):
      let file = try files.open(path, .replace, permissions: permissions)
      defer { files.close(file) }
      try files.writeAll(bytes, to: file)
    // Of a phone that is new, the rest is as it should be.
    case .endApp, .stopDaemon, .startDaemon, .removeTree, .keepSubtree, .restoreSubtree,
      .syncEverything, .setLockState, .sealPaths, .setFreeSpace, .daemonRequest:
      break
    }
  }
}
