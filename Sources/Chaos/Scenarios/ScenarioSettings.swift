import Backend
import Device
package import JSON
package import Phone
package import Session

/// The knobs of phone, libraries and client that a scenario may turn.
///
/// Those of the phone are its own, under their names in camel case.
package struct ScenarioSettings: Equatable, Sendable {
  /// One knob.
  package struct Key: Equatable, Sendable {
    /// As scenario files write it: `sizeRule`.
    package let name: String
    /// As command lines write it: `size-rule`.
    package let option: String
    /// What it may be set to; the first is the default.
    package let values: [String]
    package let meaning: String

    fileprivate init(_ option: String, _ values: [String], _ meaning: String) {
      let words = option.split(separator: "-")
      name = words.dropFirst().reduce(String(words[0])) {
        $0 + $1.prefix(1).uppercased() + $1.dropFirst()
      }
      self.option = option
      self.values = values
      self.meaning = meaning
    }
  }

  /// The knobs of all phones, each once; a phone passes over those that it does not have.
  package static let phoneKeys = {
    var keys: [Key] = []
    for knob in PhoneKind.allCases.flatMap(\.knobs) {
      let key = Key(knob.name, knob.values, knob.summary)
      if !keys.contains(where: { $0.name == key.name }) { keys.append(key) }
    }
    return keys
  }()

  /// Those of the app and of the device.
  package static let size = Key(
    "size", SessionText.Size.allCases.map(\.rawValue),
    "the session's text: about 4 KB, under 2,048 bytes, or over 1 MiB")
  package static let sizeRule = Key(
    "size-rule", ["warn", "off", "enforce"], "what SecureStore does with more than 2,048 bytes")
  package static let sdk = Key(
    "sdk", ["2.112.2", "2.106.2", "2.105.3"],
    "the client library, which decides what becomes of an unreadable session")
  package static let profile = Key(
    "profile", ["phone"] + PersistenceProfile.all.map(\.name),
    "what the device promises about a power cut; 'phone' is what the phone's own parts do")

  package static let webCrypto = Key(
    "web-crypto", ["no", "yes"],
    "whether the app adds crypto.subtle, which React Native alone has not: without it the seed client's "
      + "PKCE challenge is the verifier itself")

  package static let client = Key(
    "client", ["reference"] + AppProfile.allCases.map(\.rawValue),
    "what is above the store: 'reference' reads and saves without a server; the others are the whole "
      + "app with client, status, guards and server")
  package static let backend = Key(
    "backend", AppBackend.allCases.map(\.rawValue),
    "which server the whole app signs in at: 'better-auth' by way of a page in the browser")
  package static let jar = Key(
    "jar", [BetterAuthBehaviour.expo171, .expo1612, .hardened].map(\.rawValue),
    "how Better Auth's client keeps its cookies (store chunked)")
  package static let rotation = Key(
    "rotation", ["tolerant", "strict"],
    "what the server forgives a client: the refresh token before the newest at any age, and older ones "
      + "for ten seconds; or nothing")
  package static let refreshTokens = Key(
    "refresh-tokens", RefreshTokenVersion.allCases.map(\.rawValue),
    "the server's refresh tokens: rows of a table, or signed counters")

  package static let tokenCallsMax = Key(
    "token-calls-max", [String(SessionEnding.tokenCallsMax), "2", "1"],
    "how often a client may ask for tokens in a minute; more is a requestStorm")

  package static let keys =
    phoneKeys + [
      size, sizeRule, sdk, webCrypto, profile, client, backend, jar, rotation, refreshTokens,
      tokenCallsMax,
    ]

  package var backendKind: AppBackend { AppBackend(rawValue: self[Self.backend]) ?? .gotrue }

  /// The profile of the whole app; `nil` for the reference app, which has no server.
  package var clientProfile: AppProfile? { AppProfile(rawValue: self[Self.client]) }

  package static func key(_ name: String) -> Key? { keys.first { $0.name == name } }

  private var chosen: [String: String] = [:]

  package init() {}

  package subscript(key: Key) -> String {
    get { chosen[key.name] ?? key.values[0] }
    set { chosen[key.name] = newValue }
  }

  /// What was chosen of the phones' knobs, by their names on command lines.
  package var knobs: [String: String] {
    Self.phoneKeys.reduce(into: [:]) { knobs, key in knobs[key.option] = chosen[key.name] }
  }

  /// The first setting that no phone of this kind has: it would be passed over.
  package func foreign(to phone: PhoneKind) -> Key? {
    let own = Set(phone.knobs.map(\.name))
    return Self.phoneKeys.first { chosen[$0.name] != nil && !own.contains($0.option) }
  }

  /// Why no phone of this kind can be so; `nil` when one can.
  package func problem(on phone: PhoneKind) -> String? {
    // There SQLite's syncs are the kernel's, and those are barriers on every Android device; on iOS
    // SQLite lies in the keychain's domain, which commits whole items.
    guard phone == .android, self[Self.profile] == PersistenceProfile.apfs.name else { return nil }
    return "no android phone has the profile 'apfs', whose fsync is no barrier under SQLite"
  }

  /// What was chosen, as a scenario file writes it.
  package var json: JSONValue {
    .object(JSONObject(chosen.map { .init(key: $0.key, value: .text($0.value)) }))
  }

  /// What was chosen, as `--set` takes it; `nil` when nothing was.
  package var optionText: String? {
    let words = chosen.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return words.isEmpty ? nil : words.joined(separator: ",")
  }

  /// Each of these settings left at its default, by itself.
  var resets: [ScenarioSettings] {
    chosen.keys.sorted().map { name in
      var reset = self
      reset.chosen[name] = nil
      return reset
    }
  }

  /// These settings, with what another says in their place.
  package func merging(_ other: ScenarioSettings) -> ScenarioSettings {
    var merged = self
    merged.chosen.merge(other.chosen) { $1 }
    return merged
  }
}

extension ScenarioSettings: CustomStringConvertible {
  /// What was chosen: `asyncStorage v3, size huge`.
  package var description: String {
    chosen.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
