import CFuse
import Glibc

/// How libfuse reads requests and writes answers.
enum FuseTransport {
  /// Room for every answer but content and listings.
  private static let smallBytes = 512

  /// Has a mounted session read and write by this.
  static func install(in session: OpaquePointer) {
    var calls = fuse_custom_io()
    unsafe calls.read = { connection, buffer, count, _ in
      unsafe read(connection, buffer, count)
    }
    unsafe calls.writev = { connection, parts, count, _ in
      unsafe FuseTransport.send(UnsafeBufferPointer(start: parts, count: Int(count)), connection)
    }
    // Fails for a session without a descriptor only, and this one is mounted.
    _ = unsafe fuse_session_custom_io(session, &calls, fuse_session_fd(session))
  }

  /// Writes an answer. For each of its parts the kernel looks up a page of this process, which costs
  /// more than to join small ones.
  private static func send(_ parts: UnsafeBufferPointer<iovec>, _ connection: Int32) -> Int {
    let count = unsafe parts.reduce(0) { unsafe $0 + $1.iov_len }
    guard parts.count > 1, count <= smallBytes else {
      return unsafe writev(connection, parts.baseAddress, Int32(parts.count))
    }
    return unsafe withUnsafeTemporaryAllocation(byteCount: smallBytes, alignment: 8) { whole in
      var used = 0
      unsafe parts.forEach { part in
        let bytes = unsafe UnsafeRawBufferPointer(start: part.iov_base, count: part.iov_len)
        unsafe UnsafeMutableRawBufferPointer(rebasing: whole[used...]).copyMemory(from: bytes)
        used += bytes.count
      }
      return unsafe write(connection, whole.baseAddress, used)
    }
  }
}
