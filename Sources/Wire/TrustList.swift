/// Who may get a callback: `<scheme>://auth` and below, and the web origins that are listed.
///
/// App and server build it from settings of their own with the same rules (R-HAND-10, R-HAND-11).
package struct TrustList: Equatable, Sendable {
  package var scheme: String
  package var origins: [WebOrigin]

  /// The host of every address that belongs to a hand-off.
  package static let host = "auth"

  package init(scheme: String, origins: [WebOrigin]) {
    self.scheme = scheme
    self.origins = origins
  }

  /// Reads an address and finds out whether it may get a callback.
  ///
  /// - Returns: The address.
  /// - Throws: ``CallbackRefusal`` with the part that decides.
  package func admit(_ text: String) throws(CallbackRefusal) -> CallbackURL {
    let url = try CallbackURL(text)
    if url.scheme == scheme {
      guard url.port == nil else { throw CallbackRefusal(.port) }
      guard url.host == Self.host else { throw CallbackRefusal(.host) }
    } else {
      let origin = WebOrigin(scheme: url.scheme, host: url.host, port: url.port)
      guard origins.contains(origin) else { throw CallbackRefusal(.list) }
    }
    return url
  }
}

/// Scheme, host and port of the web, each exact.
package struct WebOrigin: Equatable, Hashable, Sendable {
  package var scheme: String
  package var host: String
  /// `nil` for the usual one of the scheme, which is never written.
  package var port: Int?

  package init(scheme: String, host: String, port: Int?) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// Reads `https://host` or `https://host:port`; `http` only if a list allows it.
  package init(_ text: String) throws(CallbackRefusal) {
    let url = try CallbackURL(text)
    guard url.scheme == "https" || url.scheme == "http" else { throw CallbackRefusal(.scheme) }
    guard url.path.isEmpty else { throw CallbackRefusal(.path) }
    guard url.parameters.isEmpty, !text.hasSuffix("?") else { throw CallbackRefusal(.query) }
    guard url.port != (url.scheme == "https" ? 443 : 80) else { throw CallbackRefusal(.port) }
    self.init(scheme: url.scheme, host: url.host, port: url.port)
  }

  package var text: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

  /// Whether the host can be meant on a machine or network of its own only.
  package var isLocal: Bool {
    if let address = IPv4(host[...]) { return address.isLocal }
    let isName = host.contains(".")
    return !isName || [".localhost", ".local", ".internal"].contains { host.hasSuffix($0) }
  }
}
