import Glibc
import HTTP
import Linux

/// Sends the same bytes to the first client, whatever it asks, and closes.
final class OneReply {
  let address: LoopbackAddress
  private let thread: Thread

  init(_ reply: String) throws {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let listener = Descriptor(owning: try check("socket", "a listener", socket(AF_INET, kind, 0)))
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try check("listen", "a listener", listen(listener.number, 1))
    let named = unsafe withUnsafeMutableBytes(of: &place) { bytes in
      unsafe getsockname(
        listener.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    try check("getsockname", "a listener", named)
    address = LoopbackAddress(.v4, port: UInt16(bigEndian: place.sin_port))
    thread = try Thread("one-reply") {
      let number = accept(listener.number, nil, nil)
      guard number >= 0 else { return }
      let client = Descriptor(owning: number)
      _ = try? client.read(count: 65_536)
      try? client.write(reply.utf8)
    }
  }

  deinit { thread.join() }
}
