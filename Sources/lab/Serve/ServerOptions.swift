import Backend
import Chaos
import Terminal

/// How `lab serve` is to behave, of whichever kind it is.
struct ServerOptions {
  enum Rotation: String, CaseIterable {
    /// As the vendor's local server: one lost reply is forgiven, and a few seconds.
    case tolerant
    /// An old token is never forgiven.
    case strict
  }

  private static let clockAhead = Option(
    "clock-ahead",
    ValueKind<Int64>("TIME", allowed: "a step such as 1h, 90s or -5min") {
      Quantity.milliseconds($0)
    }, "the server's clock is so far ahead of this machine's; - is behind")
  private static let refreshTokens = Option<RefreshTokenVersion>(
    "refresh-tokens", .word("VERSION"),
    "gotrue: v1 (opaque, default) or v2 (signed, with a counter)")
  private static let rotation = Option<Rotation>(
    "rotation", .word("HOW"),
    "gotrue: tolerant (default) forgives one lost reply, strict forgives nothing")
  private static let scheme = Option(
    "scheme", .text("SCHEME"), "better-auth: the app's, EXPO_PUBLIC_APP_SCHEME; default supastack")
  private static let origins = Option(
    "origins", .text("LIST"), "better-auth: MOBILE_ALLOWED_ORIGINS, with commas; default none")
  private static let baseURL = Option(
    "base-url", .text("URL"), "better-auth: where the web app is; default the server's own address")
  private static let production = Flag(
    "production", "better-auth: with limits, and origins that must be listed")
  private static let passkeys = Flag("passkeys", "better-auth: AUTH_PASSKEY_ENABLED")
  private static let challenge = Flag(
    "challenge", "better-auth: a hand-off without a challenge is refused")

  static let all: [any OptionDefinition] =
    [clockAhead] + ofGoTrue + ofBetterAuth
  private static let ofGoTrue: [any OptionDefinition] = [refreshTokens, rotation]
  private static let ofBetterAuth: [any OptionDefinition] = [
    scheme, origins, baseURL, production, passkeys, challenge,
  ]

  /// `nil` leaves the clock as the state has it.
  private(set) var clockAheadMs: Int64?
  private(set) var goTrue = GoTrueSettings.commandLine
  /// The base is filled in when the address is known.
  private(set) var betterAuth: BetterAuthEnvironment

  /// - Throws: `Failure` for an option of another kind of server.
  init(_ invocation: Invocation, for kind: ServerKind) throws {
    let others: [(ServerKind, [String])] = [
      (
        .gotrue,
        Self.given([
          Self.refreshTokens.name: invocation.value(Self.refreshTokens) != nil,
          Self.rotation.name: invocation.value(Self.rotation) != nil,
        ])
      ),
      (
        .betterAuth,
        Self.given([
          Self.scheme.name: invocation.value(Self.scheme) != nil,
          Self.origins.name: invocation.value(Self.origins) != nil,
          Self.baseURL.name: invocation.value(Self.baseURL) != nil,
          Self.production.name: invocation.has(Self.production),
          Self.passkeys.name: invocation.has(Self.passkeys),
          Self.challenge.name: invocation.has(Self.challenge),
        ])
      ),
    ]
    for (other, names) in others where other != kind {
      guard let name = names.first else { continue }
      throw Failure.wrongUsage(
        "--\(name) is for --kind \(other.rawValue)", help: "lab serve --help")
    }
    clockAheadMs = invocation.value(Self.clockAhead)
    // An outbox that takes any number of mails; limits by address need a header that nobody sets here.
    goTrue.mailLimit.count = 100_000
    goTrue.mailLimit.burst = 100_000
    goTrue.limitsAddresses = false
    goTrue.refreshTokens = invocation.value(Self.refreshTokens) ?? .v1
    if invocation.value(Self.rotation) == .strict { goTrue.forgiveNothing() }
    betterAuth = BetterAuthEnvironment(
      baseURL: invocation.value(Self.baseURL) ?? "",
      appScheme: invocation.value(Self.scheme) ?? "supastack",
      mobileAllowedOrigins: invocation.value(Self.origins),
      authPasskeyEnabled: invocation.has(Self.passkeys) ? "true" : nil,
      isProduction: invocation.has(Self.production),
      requiresChallenge: invocation.has(Self.challenge))
  }

  private static func given(_ options: [String: Bool]) -> [String] {
    options.filter(\.value).keys.sorted()
  }
}
