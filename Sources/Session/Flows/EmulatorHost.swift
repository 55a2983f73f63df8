/// How a development build on Android's emulator reaches a server on the developer's machine.
package enum EmulatorHost {
  /// The address under which the emulator knows that machine.
  static let alias = "10.0.2.2"

  /// Rewrites a loopback host; everything else stays as it is.
  package static func resolve(_ url: String, isAndroid: Bool, isDevelopment: Bool) -> String {
    guard isAndroid, isDevelopment else { return url }
    for host in ["localhost", "127.0.0.1", "[::1]"] {
      for scheme in ["http://", "https://"] where url.hasPrefix(scheme + host) {
        let rest = url.dropFirst(scheme.count + host.count)
        // The host ends here, or it is another that begins alike.
        if rest.first.map({ ":/?#".contains($0) }) ?? true { return scheme + alias + rest }
      }
    }
    return url
  }
}
