import CLinux

/// Extended attributes of files.
package enum ExtendedAttribute {
  /// Sets one of an open file, whether it exists or not.
  package static func set(
    _ name: String, _ value: [UInt8], of file: Int32
  ) throws(SystemError) {
    let result = unsafe value.withUnsafeBytes { bytes in
      unsafe clinux_fsetxattr(file, name, bytes.baseAddress, bytes.count)
    }
    try check("fsetxattr", name, result)
  }
}
