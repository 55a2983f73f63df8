import Glibc

/// A stream socket in the file system, and messages on it: four bytes of length, most significant
/// first, then UTF-8 text.
enum UnixSocket {
  /// Messages above this length are refused; a keychain request is some kilobytes.
  static let messageBytesMax = 16 << 20

  /// Why a socket call did not work.
  struct Failure: Error, Equatable {
    var call: String
    var code: Int32

    var text: String { "\(call): \(unsafe String(cString: strerror(code)))" }
  }

  /// Connects to a listening socket.
  static func connect(to path: String) throws(Failure) -> Int32 {
    let descriptor = try make()
    do {
      let connected = unsafe withAddress(path) { (address, length) in
        unsafe Glibc.connect(descriptor, address, length)
      }
      try connected.orThrow("connect")
      return descriptor
    } catch {
      _ = close(descriptor)
      throw error
    }
  }

  /// Binds and listens; the socket's file has mode 0600. A socket file left behind by a process
  /// that is gone is replaced.
  static func listen(at path: String) throws(Failure) -> Int32 {
    let descriptor = try make()
    do {
      _ = unsafe unlink(path)
      let mask = umask(0o177)
      let bound = unsafe withAddress(path) { (address, length) in
        unsafe bind(descriptor, address, length)
      }
      umask(mask)
      try bound.orThrow("bind")
      try Returned(value: Glibc.listen(descriptor, 64), code: errno).orThrow("listen")
      return descriptor
    } catch {
      _ = close(descriptor)
      throw error
    }
  }

  /// Sends one message. A peer that is gone is a failure, not a signal.
  static func send(_ message: String, on descriptor: Int32) throws(Failure) {
    let text = Array(message.utf8)
    guard text.count <= messageBytesMax else { throw Failure(call: "send", code: EMSGSIZE) }
    let length = UInt32(text.count)
    let header = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32($0))) }
    let bytes = header + text
    var done = 0
    while done < bytes.count {
      let taken = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done,
          Int32(MSG_NOSIGNAL))
      }
      if taken < 0 {
        if errno == EINTR { continue }
        throw Failure(call: "send", code: errno)
      }
      done += taken
    }
  }

  /// Receives one message, or `nil` when the peer has closed the socket between two messages.
  static func receive(on descriptor: Int32) throws(Failure) -> String? {
    guard let header = try receive(count: 4, on: descriptor) else { return nil }
    let length = header.reduce(0) { $0 << 8 | Int($1) }
    guard length <= messageBytesMax else { throw Failure(call: "recv", code: EMSGSIZE) }
    guard let body = try receive(count: length, on: descriptor) else {
      throw Failure(call: "recv", code: ECONNRESET)
    }
    return String(decoding: body, as: UTF8.self)
  }

  private static func receive(count: Int, on descriptor: Int32) throws(Failure) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let taken = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe recv(descriptor, buffer.baseAddress?.advanced(by: done), count - done, 0)
      }
      if taken < 0 {
        if errno == EINTR { continue }
        throw Failure(call: "recv", code: errno)
      }
      if taken == 0 {
        if done == 0 { return nil }
        throw Failure(call: "recv", code: ECONNRESET)
      }
      done += taken
    }
    return bytes
  }

  private static func make() throws(Failure) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    return descriptor
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Returned {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
      return Returned(value: -1, code: ENAMETOOLONG)
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
    return Returned(value: result, code: errno)
  }

  private struct Returned {
    var value: Int32
    var code: Int32

    func orThrow(_ call: String) throws(Failure) {
      guard value >= 0 else { throw Failure(call: call, code: code) }
    }
  }
}
