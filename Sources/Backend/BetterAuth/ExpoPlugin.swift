package import Ports
import Wire

/// What Better Auth's plugin for Expo adds to a server.
package enum ExpoPlugin {
  /// In development the client of Expo is trusted.
  package static func trustedOrigins(isProduction: Bool) -> [String] {
    isProduction ? [] : ["exp://"]
  }

  /// An app has no origin of its own, so the server takes the one that it names.
  package static func withOrigin(_ headers: HTTPHeaders) -> HTTPHeaders {
    guard headers["origin"] == nil, let origin = headers["expo-origin"], !origin.isEmpty else {
      return headers
    }
    var headers = headers
    headers["origin"] = origin
    return headers
  }

  /// Whether a path ends a sign-in that a browser did for an app.
  package static func leadsBack(_ path: String) -> Bool {
    ["/callback", "/magic-link/verify", "/verify-email"].contains { path.hasPrefix($0) }
  }

  /// Where a redirect goes after all: into an app, with the cookies of the reply in the address, since
  /// the browser's cookies never reach the app (H-23).
  ///
  /// - Parameters:
  ///   - location: Where the reply leads.
  ///   - setCookie: All `Set-Cookie` headers of the reply, joined by commas.
  ///   - trustedOrigins: Whom the server trusts.
  /// - Returns: The new address; `nil` to leave it.
  package static func location(
    _ location: String?, setCookie: String, trustedOrigins: [String]
  ) -> String? {
    guard let location, !setCookie.isEmpty, let url = WebURL(location),
      !["http:", "https:"].contains(url.protocol), !location.contains("/oauth-proxy-callback"),
      trustedOrigins.contains(where: { OriginPattern($0).matches(location) })
    else { return nil }
    let hash = location.firstIndex(of: "#") ?? location.endIndex
    let target = location[..<hash]
    let path = target.prefix { $0 != "?" }
    var query = FormQuery()
    for pair in FormQuery(target.dropFirst(path.count + 1)).pairs where pair.name != "cookie" {
      query.add(pair.name, pair.value)
    }
    query.add("cookie", setCookie)
    let escaped = path.replacing(" ", with: "%20")
    return "\(escaped)?\(query.text)\(location[hash...])"
  }

  /// What the page that sends a browser on to a provider does.
  package enum Proxy: Equatable, Sendable {
    /// A cookie with the state that the server keeps itself, and the way on.
    case signed(state: String)
    /// A cookie with the state that the app brought.
    case plain(state: String)
    case refused(String)
  }

  /// Judges an address of a provider: it must be HTTPS, elsewhere, and without a fragment.
  package static func proxy(
    authorizationURL: String, oauthState: String?, baseURL: String
  ) -> Proxy {
    guard !authorizationURL.contains("#"), let url = WebURL(authorizationURL),
      url.protocol == "https:", url.origin != WebURL(baseURL)?.origin
    else { return .refused("Invalid authorizationURL") }
    if let oauthState, !oauthState.isEmpty { return .plain(state: oauthState) }
    let query = url.rest.firstIndex(of: "?").map { url.rest[$0...].dropFirst() } ?? ""
    guard let state = FormQuery(query).pairs.first(where: { $0.name == "state" })?.value,
      !state.isEmpty
    else { return .refused("Unexpected error") }
    return .signed(state: state)
  }
}
