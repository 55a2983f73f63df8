package import Ports

/// How a client is made: the options of `createClient`, and what it runs on.
package struct AuthSettings: Sendable {
  package enum FlowType: Sendable { case implicit, pkce }

  /// How near the client is to the original.
  package enum Profile: Sendable {
    /// Does what the recordings show, hazards included.
    case seed
    /// The same calls, with the hazards fixed that a client can fix: see ``AuthClient``.
    case hardened
  }

  /// Such as `https://project.example/auth/v1`.
  package var baseURL: String
  /// The project's public key.
  package var anonKey: String
  /// The name of the stored session; other names begin with it.
  package var storageKey: String
  package var flowType = FlowType.pkce
  package var refreshesAutomatically = true
  /// Whether the app has added `crypto.subtle`, which React Native alone has not: without it a challenge
  /// is the verifier itself.
  package var hasWebCrypto = false
  package var sdk = SDKVersion.current
  package var profile = Profile.seed

  package init(
    baseURL: String, anonKey: String, storageKey: String, profile: Profile = .seed
  ) {
    self.baseURL = baseURL
    self.anonKey = anonKey
    self.storageKey = storageKey
    self.profile = profile
  }

  var isHardened: Bool { profile == .hardened }

  /// The version whose ways the client has. The hardened one has none of the older ones, whose lock
  /// and whose wiped verifiers are hazards of their own (H-10, H-17).
  var behaviour: SDKVersion { isHardened ? .current : sdk }

  /// The part of the base URL that follows the host.
  var basePath: Substring {
    guard let scheme = baseURL.firstRange(of: "://") else { return "" }
    let rest = baseURL[scheme.upperBound...]
    return rest.drop { $0 != "/" }
  }
}

/// What a client touches.
package struct AuthPorts {
  package var store: any SessionStore
  package var transport: any HTTPTransport
  package var clock: any WallClock
  package var sleeper: any Sleeper
  package var spawner: any Spawner
  package var entropy: any Entropy
  package var console: any Console

  package init(
    store: any SessionStore, transport: any HTTPTransport, clock: any WallClock,
    sleeper: any Sleeper, spawner: any Spawner, entropy: any Entropy, console: any Console
  ) {
    self.store = store
    self.transport = transport
    self.clock = clock
    self.sleeper = sleeper
    self.spawner = spawner
    self.entropy = entropy
    self.console = console
  }
}
