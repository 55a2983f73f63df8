import CLinux
import Glibc

/// A Unix socket file that others connect to.
package final class UnixListener: Sendable {
  package let path: String
  package let descriptor: Descriptor

  /// Listens on a socket file with mode 0600, in a directory that only its owner may enter.
  ///
  /// A file that is left from an earlier listener is replaced.
  ///
  /// - Throws: ``SystemError`` with `EPERM` when the directory belongs to somebody else or lets
  ///   others in.
  package init(_ path: String) throws(SystemError) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let directory = String(path[..<slash])
    let status = try Files.status(directory)
    guard status.isDirectory, status.owner == geteuid(), status.permissions & 0o077 == 0 else {
      throw SystemError(call: "listen", subject: directory, code: EPERM)
    }
    if Files.exists(path) { try Files.remove(path) }
    let made = try makeSocket(path)
    fchmod(made.number, 0o600)
    try check("bind", path, unsafe clinux_unix_address(made.number, path, 1))
    try check("chmod", path, unsafe chmod(path, 0o600))
    try check("listen", path, listen(made.number, 16))
    self.path = path
    descriptor = made
  }

  /// Waits for the next connection.
  package func accept() throws(SystemError) -> UnixSocket {
    let number = retrying { clinux_accept(descriptor.number) }
    return UnixSocket(owning: Descriptor(owning: try check("accept", path, number)), name: path)
  }
}
