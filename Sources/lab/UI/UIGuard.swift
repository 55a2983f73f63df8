import Ports

/// Who may speak to the page's server: whoever knows the token, which is the first part of every path,
/// and is no page of somebody else's.
struct UIGuard: Sendable {
  /// 192 bits of the system's generator, in hexadecimal digits.
  let token: String
  private let authorities: Set<String>
  private let origins: Set<String>

  /// - Parameters:
  ///   - port: Where the server listens, on 127.0.0.1.
  ///   - token: What the path has to begin with.
  init(port: UInt16, token: String) {
    self.token = token
    // A page that had its own name resolved to loopback names that one.
    authorities = ["127.0.0.1:\(port)", "localhost:\(port)"]
    origins = Set(authorities.map { "http://\($0)" })
  }

  static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<3).map { _ in
      let word = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - word.count) + word
    }.joined()
  }

  /// What is asked for behind the token; `nil` for a request that is none of ours.
  func place(of request: HTTPRequest) -> String? {
    let hosts = request.headers.values(of: "Host")
    guard hosts.count == 1, authorities.contains(hosts[0].lowercased()) else { return nil }
    // Browsers name the origin of whatever another page sends; programs send none.
    guard request.headers.values(of: "Origin").allSatisfy(origins.contains) else { return nil }
    let parts = request.path.split(
      separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, isToken(parts[1]) else { return nil }
    return String(parts[2])
  }

  /// Takes as long for a token that begins right as for one that does not.
  private func isToken(_ text: Substring) -> Bool {
    guard text.utf8.count == token.utf8.count else { return false }
    return zip(text.utf8, token.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
