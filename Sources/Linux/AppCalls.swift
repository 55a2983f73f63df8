import CLinux
import Glibc

/// System calls that an app process makes and that Glibc's module lacks.
///
/// Each answers zero, or the error number.
package enum AppCalls {
  /// Sets an extended attribute of an open file. Models nothing: it is `fsetxattr(2)`.
  package static func setAttribute(_ name: String, _ value: [UInt8], of file: Int32) -> Int32 {
    let result = unsafe value.withUnsafeBytes { bytes in
      unsafe clinux_fsetxattr(file, name, bytes.baseAddress, bytes.count)
    }
    return result == 0 ? 0 : errno
  }

  /// Asks the kernel to end this process with SIGKILL when the thread that spawned it ends.
  package static func dieWithParent() -> Int32 {
    clinux_die_with_parent() == 0 ? 0 : errno
  }
}
