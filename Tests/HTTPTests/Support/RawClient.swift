import Glibc
import HTTP
import Linux

/// A socket that sends any bytes, well-formed or not.
struct RawClient {
  let descriptor: Descriptor
  /// Served as long as somebody is connected.
  private let server: Served

  init(_ server: Served) throws {
    self.server = server
    let address = server.address
    let isV4 = address.host == .v4
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = Descriptor(
      owning: try check("socket", address.url, socket(isV4 ? AF_INET : AF_INET6, kind, 0)))
    if isV4 {
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      place.sin_port = address.port.bigEndian
      try connect(&place)
    } else {
      var place = sockaddr_in6()
      place.sin6_family = sa_family_t(AF_INET6)
      place.sin6_addr = in6addr_loopback
      place.sin6_port = address.port.bigEndian
      try connect(&place)
    }
  }

  private func connect<Place>(_ place: inout Place) throws {
    let size = socklen_t(MemoryLayout<Place>.size)
    let result = unsafe withUnsafeBytes(of: &place) { bytes in
      unsafe Glibc.connect(
        descriptor.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
    }
    try check("connect", "a server", result)
  }

  func write(_ text: String) throws { try descriptor.write(text.utf8) }

  /// Ends what the server can read; the other way stays open.
  func endWriting() { shutdown(descriptor.number, Int32(SHUT_WR)) }

  /// Reads until the server closes. A reset is an error: then the reply may have been lost.
  func readAll() throws -> String { String(decoding: try descriptor.readAll(), as: UTF8.self) }

  /// Reads until the text has come.
  func read(until text: String) throws -> String {
    var all = ""
    while !all.contains(text) {
      let bytes = try descriptor.read(count: 65_536)
      if bytes.isEmpty { break }
      all += String(decoding: bytes, as: UTF8.self)
    }
    return all
  }
}
