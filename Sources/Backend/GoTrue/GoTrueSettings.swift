/// How a server is configured. The defaults are those of the server itself; `hosted` and
/// `commandLine` are those of the platform and of its local template; `strict` is a server
/// that forgives nothing, as other vendors have.
package struct GoTrueSettings: Sendable {
  // MARK: Addresses

  /// Where mailed links and refused redirects lead.
  package var siteURL = "http://localhost:3000"
  /// Other targets that may be asked for: exact, or with a `*` at the end.
  package var allowedRedirects: [String] = ["mkkit://auth/callback"]
  /// The server's own address as mails print it; `nil` takes it from the request's `Host`.
  package var externalURL: String?

  // MARK: Tokens

  package var accessTokenSeconds: Int64 = 3600
  package var refreshTokens = RefreshTokenVersion.v1
  package var rotatesRefreshTokens = true
  package var reuseSeconds: Int64 = 0
  /// Whether one lost answer is forgiven at any age, as the real server does.
  package var forgivesLostReply = true
  /// Version 2 only.
  package var alwaysAllowsReuse = false
  package var sessionTimeboxSeconds: Int64?
  package var sessionInactivitySeconds: Int64?
  /// How long a session of a user with a verified factor may stay below aal2.
  package var lowAALSeconds: Int64?
  package var allowsOneSession = false

  // MARK: Mail and codes

  package var allowsSignUp = true
  package var allowsEmail = true
  /// Off: a sign-up is confirmed at once.
  package var confirmsEmail = true
  /// A change of the address must be confirmed at the old one, too.
  package var confirmsBothAddresses = true
  /// 6 to 10; anything else is 6.
  package var codeDigits = 6
  package var codeSeconds: Int64 = 86_400
  package var mailIntervalSeconds: Int64 = 60
  package var mailLimit = RateLimit(count: 30, windowMs: 3_600_000, burst: 30)

  // MARK: Passwords

  package var passwordLengthMin = 6
  package var passwordCharacters = PasswordCharacters.any
  /// Passwords that count as leaked.
  package var leakedPasswords: [String] = []
  package var requiresReauthentication = false
  package var requiresCurrentPassword = false

  // MARK: Limits

  /// The one token that counts as a solved captcha; `nil` switches it off.
  package var captcha: String?
  /// Whether there are limits per address; the server needs to be told which header carries it.
  package var limitsAddresses = false
  package var tokenLimit = RateLimit(count: 150, windowMs: 300_000, burst: 30)
  package var verifyLimit = RateLimit(count: 30, windowMs: 300_000, burst: 30)
  /// Each of code, recovery, resend, sign-up and update.
  package var formLimit = RateLimit(count: 30, windowMs: 300_000, burst: 30)
  package var factorLimit = RateLimit(count: 15, windowMs: 60_000, burst: 30)

  // MARK: Factors

  package var factorsMax = 10
  package var challengeSeconds: Int64 = 300
  package var factorSeconds: Int64 = 300
  package var factorHook = FactorHook.none

  // MARK: Providers

  package var providers: [String] = ["google", "github", "apple"]
  /// Audiences that an identity token may be for.
  package var clientIDs: [String] = ["com.makerkit.app", "web-client"]
  /// Providers whose nonces are not looked at.
  package var uncheckedNonces: [String] = []
  package var flowSeconds: Int64 = 300
  /// What the page of the made-up provider does when the request does not say.
  package var providerOutcome = ProviderOutcome.success
  package var providerEmail = "person@example.com"

  package init() {}

  package static var hosted: GoTrueSettings {
    var settings = GoTrueSettings()
    settings.reuseSeconds = 10
    settings.limitsAddresses = true
    settings.codeSeconds = 3600
    settings.mailLimit = RateLimit(count: 2, windowMs: 3_600_000, burst: 2)
    return settings
  }

  package static var commandLine: GoTrueSettings {
    var settings = hosted
    settings.mailIntervalSeconds = 1
    return settings
  }

  package static var strict: GoTrueSettings {
    var settings = GoTrueSettings()
    settings.forgiveNothing()
    return settings
  }

  /// No token but the newest is taken, whenever it was replaced.
  package mutating func forgiveNothing() {
    forgivesLostReply = false
    reuseSeconds = 0
  }

  /// The length that counts.
  var codeLength: Int { (6...10).contains(codeDigits) ? codeDigits : 6 }
}

/// How refresh tokens look, and what showing an old one does.
package enum RefreshTokenVersion: String, CaseIterable, Sendable {
  /// Twelve letters; each names its parent.
  case v1
  /// Signed session id and counter.
  case v2
}

/// The server's ladder of password rules.
package enum PasswordCharacters: String, CaseIterable, Sendable {
  case any
  case lettersAndDigits
  case bothCasesAndDigits
  case bothCasesDigitsAndSymbols

  /// Each class needs at least one of its characters.
  var classes: [String] {
    let lower = "abcdefghijklmnopqrstuvwxyz"
    let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let digits = "0123456789"
    return switch self {
    case .any: []
    case .lettersAndDigits: [lower + upper, digits]
    case .bothCasesAndDigits: [lower, upper, digits]
    case .bothCasesDigitsAndSymbols:
      [lower, upper, digits, "!@#$%^&*()_+-=[]{};'\\:\"|<>?,./`~"]
    }
  }
}

/// What a hook that is asked about each code of a factor says.
package enum FactorHook: String, CaseIterable, Sendable {
  case none
  case rejects
}

/// What the page of the made-up provider does.
package enum ProviderOutcome: String, CaseIterable, Sendable {
  case success
  /// The person says no.
  case refusal
  /// The person never comes to an end.
  case never
  /// The provider fails, and says so.
  case failure
}
