import JSON
import Ports
import Wire

extension BetterAuthClient {
  /// Fetches the session; there is none when the server says `null`.
  @discardableResult
  package func getSession() async throws(BetterAuthError) -> OrderedJSON? {
    let data = try await call("GET", "/get-session")
    let found = data == .null ? nil : data
    show(found)
    return found
  }

  /// Signs out here first, and then on the server; if that cannot be reached, its session lives on.
  package func signOut() async throws(BetterAuthError) {
    _ = try await call("POST", "/sign-out", JSONObject())
  }

  /// Has the server send a code by mail.
  package func requestEmailOtp(_ email: String) async throws(BetterAuthError) {
    var body = JSONObject()
    body["email"] = .text(email)
    body["type"] = "sign-in"
    _ = try await call("POST", "/email-otp/send-verification-otp", body)
  }

  /// Signs in with a code that came by mail.
  package func verifyEmailOtp(
    _ email: String, code: String
  ) async throws(BetterAuthError) {
    var body = JSONObject()
    body["email"] = .text(email)
    body["otp"] = .text(code)
    _ = try await call("POST", "/sign-in/email-otp", body)
  }

  /// Signs in with Apple or Google: by a token of the system's own dialogue, or in a browser.
  ///
  /// Whatever else than success ends the browser, the call returns without a word, as it does when the
  /// address has no cookie. Nothing ties the address to this sign-in.
  ///
  /// - Throws: ``BetterAuthError``; an end of the browser is none.
  package func signInSocial(
    provider: String, callbackURL: String, idToken: String? = nil
  ) async throws(BetterAuthError) {
    var body = JSONObject()
    body["provider"] = .text(provider)
    body["callbackURL"] = .text(callbackURL)
    if let idToken { body["idToken"] = ["token": .text(idToken)] }
    let data = try await call("POST", "/sign-in/social", body)
    guard idToken == nil, data?["redirect"]?.isTruthy == true, let page = data?["url"]?.text else {
      return
    }
    let redirect =
      callbackURL.hasPrefix("/") ? "\(setup.scheme)://\(callbackURL.dropFirst())" : callbackURL
    try await authorize(at: page, redirect: redirect)
  }

  private func authorize(at page: String, redirect: String) async throws(BetterAuthError) {
    var query = FormQuery()
    query.add("authorizationURL", page)
    let old = try await stored(setup.cookieItem)
    if let old, let state = CookieJar(old).oauthState(setup.cookiePrefixes) {
      query.add("oauthState", state)
    }
    let base = setup.apiURL + BetterAuthSetup.basePath
    let result: BrowserResult
    do throws(NativeError) {
      result = try await ports.browser.openAuthSession(
        "\(base)/expo-authorization-proxy?\(query.text)", redirect: redirect)
    } catch {
      throw .browser(error)
    }
    guard case .success(let url) = result else { return }
    let parameters = FormQuery(url.dividedOnce(at: "?").1?.dividedOnce(at: "#").0 ?? "")
    guard let cookie = parameters.pairs.first(where: { $0.name == "cookie" })?.value,
      !cookie.isEmpty
    else { return }
    let jar = try merged(try await stored(setup.cookieItem), SetCookieHeader(cookie))
    await storage.setItem(setup.cookieItem, to: jar.text)
    notify()
  }
}
