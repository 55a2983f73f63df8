import Glibc
import Linux

/// Opens sockets that wait for clients on loopback.
enum ListeningSocket {
  /// How many clients may wait while the server is busy; the kernel's own limit is the smaller one.
  private static let backlog: Int32 = 4096

  /// Binds a socket and listens. The descriptor is the caller's to close.
  ///
  /// - Returns: The socket, and where it really listens when any port would do.
  /// - Throws: `SystemError` with `EADDRINUSE` when the port is taken; nothing is left open.
  static func open(
    _ address: LoopbackAddress
  ) throws(SystemError) -> (descriptor: Int32, address: LoopbackAddress) {
    switch address.host {
    case .v4:
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      place.sin_port = address.port.bigEndian
      return try open(address, AF_INET, &place) { $0.sin_port }
    case .v6:
      var place = sockaddr_in6()
      place.sin6_family = sa_family_t(AF_INET6)
      place.sin6_addr = in6addr_loopback
      place.sin6_port = address.port.bigEndian
      return try open(address, AF_INET6, &place) { $0.sin6_port }
    }
  }

  /// `place` is the address of that family; `port` reads its port in the order of the network.
  private static func open<Place>(
    _ address: LoopbackAddress, _ family: Int32, _ place: inout Place,
    _ port: (Place) -> in_port_t
  ) throws(SystemError) -> (descriptor: Int32, address: LoopbackAddress) {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = try check("socket", address.authority, socket(family, kind, 0))
    do {
      var isOn: Int32 = 1
      try check(
        "setsockopt", address.authority,
        unsafe setsockopt(
          number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size)))
      var length = socklen_t(MemoryLayout<Place>.size)
      let bound = unsafe withGeneric(&place) { unsafe bind(number, $0, length) }
      try check("bind", address.authority, bound)
      try check("listen", address.authority, listen(number, backlog))
      let named = unsafe withGeneric(&place) { unsafe getsockname(number, $0, &length) }
      try check("getsockname", address.authority, named)
    } catch {
      close(number)
      throw error
    }
    return (number, LoopbackAddress(address.host, port: UInt16(bigEndian: port(place))))
  }

  private static func withGeneric<Place, Result>(
    _ place: inout Place, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    unsafe withUnsafeMutableBytes(of: &place) { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("an address has bytes") }
      return unsafe body(base.assumingMemoryBound(to: sockaddr.self))
    }
  }
}
