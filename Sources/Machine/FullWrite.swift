import Glibc

/// Writing whole messages to descriptors that may take them in parts.
enum FullWrite {
  /// Writes all bytes to a file or a pipe.
  ///
  /// - Returns: Zero, or the error number; how much was taken is then unknown.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var done = 0
    while done < bytes.count {
      let taken = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
      }
      if taken < 0 {
        if errno == EINTR { continue }
        return errno
      }
      done += taken
    }
    return 0
  }
}
