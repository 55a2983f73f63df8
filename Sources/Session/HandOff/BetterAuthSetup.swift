package import Ports
package import Wire

/// How Better Auth's client for Expo behaves.
package enum BetterAuthBehaviour: String, CaseIterable, Sendable {
  /// Before 1.6.13: the jar is one item, however long.
  case expo1612 = "expo-1.6.12"
  /// Since 1.6.13: a long jar lies in chunks.
  case expo171 = "expo-1.7.1"
  /// Ours: a write that is cut off leaves the old jar, replies change the jar one at a time, and one
  /// that was asked for before a sign-out changes nothing after it.
  case hardened

  package var layout: ChunkedStorage.Layout {
    switch self {
    case .expo1612: .single
    case .expo171: .chunks
    case .hardened: .alternating
    }
  }
}

/// What is fixed when the app is built.
package struct BetterAuthSetup: Sendable {
  /// The address of the web app, without a slash at its end.
  package var apiURL: String
  package var trust: TrustSettings
  package var storagePrefix: String
  package var cookiePrefixes: [String]
  package var isCacheDisabled: Bool
  package var behaviour: BetterAuthBehaviour

  package init(
    apiURL: String, trust: TrustSettings, storagePrefix: String = "supastack.auth",
    cookiePrefixes: [String] = ["better-auth"], isCacheDisabled: Bool = false,
    behaviour: BetterAuthBehaviour
  ) {
    self.apiURL = apiURL
    self.trust = trust
    self.storagePrefix = storagePrefix
    self.cookiePrefixes = cookiePrefixes
    self.isCacheDisabled = isCacheDisabled
    self.behaviour = behaviour
  }

  /// Where the API of Better Auth begins.
  package static let basePath = "/api/auth"

  package var cookieItem: String { "\(storagePrefix)_cookie" }
  package var cacheItem: String { "\(storagePrefix)_session_data" }
  package var scheme: String { trust.scheme ?? "" }
}

/// What the client reaches the world through.
package struct BetterAuthPorts {
  package var transport: any HTTPTransport
  package var secure: any SecureStorage
  package var browser: any Browser
  package var clock: any WallClock
  package var console: any Console
  package var spawner: any Spawner

  package init(
    transport: any HTTPTransport, secure: any SecureStorage, browser: any Browser,
    clock: any WallClock, console: any Console, spawner: any Spawner
  ) {
    self.transport = transport
    self.secure = secure
    self.browser = browser
    self.clock = clock
    self.console = console
    self.spawner = spawner
  }
}

/// What the signed-in app renders from.
package struct SessionState: Equatable, Sendable, CustomStringConvertible {
  /// The last reply to `get-session`; `nil` when signed out.
  package var data: OrderedJSON?
  package var error: BetterAuthError?
  /// Whether nothing is known yet.
  package var isPending = true

  /// Without the session's token.
  package var description: String {
    isPending ? "pending" : data == nil ? "signed out" : "signed in"
  }
}

/// What went wrong in a call.
package enum BetterAuthError: Error, Equatable, Sendable {
  case network(NetworkError)
  /// The server refused, with the code of its reply.
  case refused(status: Int, code: String?)
  case storage(NativeError)
  case jar(CookieJarError)
  /// The browser did not open.
  case browser(NativeError)
}
