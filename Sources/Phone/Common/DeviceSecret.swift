import Ports

/// The secret inside a phone's secure hardware, from which the keys of its storage are derived or
/// under which they are wrapped.
///
/// Here it is 32 bytes in a file outside of what it protects, so that the two can be lost apart.
/// Another phone has another secret, and cannot decrypt what this one stored.
enum DeviceSecret {
  static let byteCount = 32

  /// Reads the secret, or makes one where there is none. A damaged file counts as none.
  ///
  /// - Throws: `FileError`; a file that was half written is replaced at the next try.
  static func load(
    _ path: String, on files: any FileSystem, entropy: any Entropy
  ) throws(FileError) -> [UInt8] {
    if let secret = try stored(path, on: files) { return secret }
    return try replace(path, on: files, entropy: entropy)
  }

  /// Makes the secret of another phone, durable when this returns.
  static func replace(
    _ path: String, on files: any FileSystem, entropy: any Entropy
  ) throws(FileError) -> [UInt8] {
    let secret = entropy.bytes(byteCount)
    let temporary = "\(path).new"
    try files.makeDirectories(Path.directory(of: path), permissions: 0o700)
    let file = try files.open(temporary, .replace, permissions: 0o600)
    do {
      defer { files.close(file) }
      try files.writeAll(secret, to: file)
      try files.sync(file)
    }
    try files.rename(temporary, to: path)
    try files.syncDirectory(Path.directory(of: path))
    return secret
  }

  private static func stored(
    _ path: String, on files: any FileSystem
  ) throws(FileError) -> [UInt8]? {
    do {
      let secret = try files.contents(of: path)
      return secret.count == byteCount ? secret : nil
    } catch {
      if error.code == FileError.noEntry { return nil }
      throw error
    }
  }
}
