import Session

/// Which client refreshes, and what ties it to its app and its server.
struct RefreshKind: Hashable, Sendable {
  enum Client: Hashable, Sendable, CaseIterable {
    /// The original with its lock, up to 2.106, and without it.
    case seed106, seed112
    /// The hardened client has the ways of the newest version, whichever it is built with.
    case hardened
  }

  var client: Client
  /// Whether the ticker runs only while the app is in front.
  var isCoupled: Bool
  /// Whether the server gives its newest token to who shows the one before: the original does.
  var isForgiving = true

  static let all = Client.allCases.flatMap { client in
    [true, false].map { RefreshKind(client: client, isCoupled: $0) }
  }

  var name: String {
    let client =
      switch client {
      case .seed106: "2.106"
      case .seed112: "2.112"
      case .hardened: "hardened"
      }
    return isCoupled ? client : "\(client) free"
  }

  var profile: AppProfile { client == .hardened ? .hardened : .seed }
  var sdk: SDKVersion { client == .seed106 ? SDKVersion(2, 106, 2) : .current }
}

/// Why a session ended without its owner wanting it.
enum SignOutCause: String, Sendable, CaseIterable {
  /// 429, 500, or a refresh token that was shown before.
  case limited, failed, reused
}

/// Who sees what a client does.
protocol RefreshWitness {
  /// The server got a token request.
  mutating func tokenCall(atMs ms: Int)
  /// A token request did not leave the phone.
  mutating func offlineAttempt(atMs ms: Int)
  /// Somebody wanted a refresh while there was one.
  mutating func joined()
  /// The app asked for a token, and then got one, or none (`nil`).
  ///
  /// - Parameters:
  ///   - start: When it asked.
  ///   - end: When it had its answer.
  ///   - expiry: The end of the token's life.
  ///   - shown: That of the token which the screens had when it asked.
  mutating func call(startMs start: Int, endMs end: Int, expiry: Int?, shown: Int?)
  /// So many calls, each answered at once by the stored token.
  mutating func calls(_ count: Int, fromMs start: Int, expiry: Int, shown: Int?)
  /// How long after becoming active the app had a token that is good for the margin and longer.
  mutating func fresh(afterMs ms: Int)
  /// It had none before it went.
  mutating func neverFresh()
  mutating func signedOut(atMs ms: Int, _ cause: SignOutCause)
}
