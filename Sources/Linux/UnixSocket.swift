import CLinux
import Glibc

/// A connected Unix socket that carries messages, each behind its length in four bytes.
package final class UnixSocket: Sendable {
  /// The most bytes of one message; a longer one is refused by both sides.
  package static let messageBytesMax = 16 << 20

  package let descriptor: Descriptor
  private let name: String

  package init(owning descriptor: Descriptor, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Connects to a socket file.
  package static func connect(_ path: String) throws(SystemError) -> UnixSocket {
    let made = try makeSocket(path)
    try check("connect", path, unsafe clinux_unix_address(made.number, path, 0))
    return UnixSocket(owning: made, name: path)
  }

  /// Two sockets, connected with each other.
  package static func pair() throws(SystemError) -> (UnixSocket, UnixSocket) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try check("socketpair", "a pair", unsafe socketpair(AF_UNIX, kind, 0, &ends))
    return (
      UnixSocket(owning: Descriptor(owning: ends[0]), name: "a pair"),
      UnixSocket(owning: Descriptor(owning: ends[1]), name: "a pair")
    )
  }

  /// Sends one message, and with it descriptors; the other side gets its own ones.
  package func send(
    _ message: some Collection<UInt8>, passing passed: [Descriptor] = []
  ) throws(SystemError) {
    guard message.count <= Self.messageBytesMax else {
      throw SystemError(call: "send", subject: name, code: EMSGSIZE)
    }
    let length = UInt32(message.count)
    let frame = withBigEndianBytes(length) + message
    var done = 0
    while done < frame.count {
      let numbers = done == 0 ? passed.map(\.number) : []
      let sent = retrying {
        unsafe frame.withUnsafeBytes { bytes in
          unsafe clinux_send(
            descriptor.number, bytes.baseAddress?.advanced(by: done), bytes.count - done,
            numbers, numbers.count)
        }
      }
      done += try check("send", name, sent)
    }
    withExtendedLifetime(passed) {}
  }

  /// Waits for the next message.
  ///
  /// - Returns: `nil` when the other side has closed or shut down between two messages.
  /// - Throws: ``SystemError`` with `EMSGSIZE` for a length over the limit, `ECONNRESET` for an end
  ///   in the middle of a message.
  package func receive() throws(SystemError) -> (message: [UInt8], passed: [Descriptor])? {
    var passed: [Descriptor] = []
    guard let header = try receiveBytes(4, passed: &passed, mayEnd: true) else { return nil }
    let length = header.reduce(0) { $0 << 8 | Int($1) }
    guard length <= Self.messageBytesMax else {
      throw SystemError(call: "receive", subject: name, code: EMSGSIZE)
    }
    guard let message = try receiveBytes(length, passed: &passed, mayEnd: false) else { return nil }
    return (message, passed)
  }

  /// Receives one byte and the descriptor that comes with it; the protocol of `fusermount3`.
  package func receiveDescriptor() throws(SystemError) -> Descriptor? {
    var passed: [Descriptor] = []
    _ = try receiveBytes(1, passed: &passed, mayEnd: true)
    return passed.first
  }

  /// Ends both directions: whoever waits in ``receive()`` gets the end.
  package func shutDown() {
    Glibc.shutdown(descriptor.number, Int32(SHUT_RDWR))
  }

  /// Ends the receiving direction only: what is being answered can still be sent.
  package func shutDownReading() {
    Glibc.shutdown(descriptor.number, Int32(SHUT_RD))
  }

  private func receiveBytes(
    _ count: Int, passed: inout [Descriptor], mayEnd: Bool
  ) throws(SystemError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      var numbers = [Int32](repeating: -1, count: clinux_passed_max)
      var numberCount = 0
      let taken = retrying {
        unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe clinux_receive(
            descriptor.number, buffer.baseAddress?.advanced(by: done), count - done, &numbers,
            &numberCount)
        }
      }
      passed += numbers.prefix(numberCount).map { Descriptor(owning: $0) }
      if try check("receive", name, taken) == 0 {
        if done == 0 && mayEnd { return nil }
        throw SystemError(call: "receive", subject: name, code: ECONNRESET)
      }
      done += taken
    }
    return bytes
  }

  private func withBigEndianBytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}

func makeSocket(_ path: String) throws(SystemError) -> Descriptor {
  let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  return Descriptor(owning: try check("socket", path, socket(AF_UNIX, kind, 0)))
}
