/// A place of this machine that no other machine can reach.
package struct LoopbackAddress: Equatable, Sendable {
  package enum Host: String, CaseIterable, Sendable {
    case v4 = "127.0.0.1"
    case v6 = "::1"

    /// Understands `127.0.0.1`, `::1`, `[::1]` and `localhost`; nothing else is this machine for sure.
    package init?(_ text: String) {
      switch text {
      case Host.v4.rawValue, "localhost": self = .v4
      case Host.v6.rawValue, "[::1]": self = .v6
      default: return nil
      }
    }
  }

  package var host: Host
  /// 0 is any free one.
  package var port: UInt16

  package init(_ host: Host = .v4, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Understands `http://HOST:PORT`, with or without a `/` behind it; `nil` for any other text.
  package init?(url: String) {
    guard url.hasPrefix("http://") else { return nil }
    var place = url.dropFirst("http://".count)
    if place.last == "/" { place.removeLast() }
    guard let colon = place.lastIndex(of: ":"), let host = Host(String(place[..<colon])),
      let port = UInt16(place[place.index(after: colon)...])
    else { return nil }
    self.init(host, port: port)
  }

  /// As a client writes it: `http://127.0.0.1:54321`.
  package var url: String { "http://\(authority)" }

  var authority: String {
    switch host {
    case .v4: "\(host.rawValue):\(port)"
    case .v6: "[\(host.rawValue)]:\(port)"
    }
  }
}
