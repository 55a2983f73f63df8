package import Wire

/// What the web app is deployed with. The server reads it anew for every request (R-HAND-16).
package struct BetterAuthEnvironment: Equatable, Sendable {
  /// Where the web app is, without a slash at its end.
  package var baseURL: String
  /// `EXPO_PUBLIC_APP_SCHEME` as the server knows it.
  package var appScheme: String?
  /// `MOBILE_ALLOWED_ORIGINS`.
  package var mobileAllowedOrigins: String?
  /// `AUTH_PASSKEY_ENABLED`; only `true` switches passkeys on.
  package var authPasskeyEnabled: String?
  package var isProduction: Bool
  /// Whether a hand-off must bring a challenge, so that no cookie ever stands in an address (H-23).
  package var requiresChallenge: Bool

  package init(
    baseURL: String, appScheme: String?, mobileAllowedOrigins: String?,
    authPasskeyEnabled: String? = nil, isProduction: Bool = true, requiresChallenge: Bool = false
  ) {
    self.baseURL = baseURL
    self.appScheme = appScheme
    self.mobileAllowedOrigins = mobileAllowedOrigins
    self.authPasskeyEnabled = authPasskeyEnabled
    self.isProduction = isProduction
    self.requiresChallenge = requiresChallenge
  }

  package var trust: TrustSettings {
    TrustSettings(
      scheme: appScheme, allowedOrigins: mobileAllowedOrigins, isProduction: isProduction)
  }

  package var isPasskeyEnabled: Bool { authPasskeyEnabled == "true" }

  /// Which origins may send requests with cookies: the web app, the app, and those of the list; in
  /// development the client of Expo, too.
  var trustedOrigins: [String] {
    [WebURL(baseURL)?.origin ?? baseURL] + listedOrigins
      + ExpoPlugin.trustedOrigins(isProduction: isProduction)
  }

  private var listedOrigins: [String] {
    do throws(TrustProblem) {
      let list = try trust.list()
      return ["\(list.scheme)://"] + list.origins.map(\.text)
    } catch {
      return []  // Without a list the web app trusts itself alone; a hand-off says why.
    }
  }
}
