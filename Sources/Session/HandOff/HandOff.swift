import Crypto
import JSON
package import Ports
import Wire

/// Signs the app in by way of a web page in the system's browser (R-HAND).
///
/// The page, once the user is signed in there, leads back to `<scheme>://auth/callback` with the nonce
/// of the attempt. The address is checked in this order, and nothing is changed before the last step:
/// trust, nonce, presence of the cookie, its shape, the jar.
package final class HandOff {
  private let client: BetterAuthClient
  private let profile: HandOffProfile
  private let entropy: any Entropy
  private let sleeper: any Sleeper
  private let attempts: HandOffAttempts
  /// `nil` if the app was built with settings that give no list: then it trusts nobody.
  private let list: TrustList?
  private var isOpen = false
  /// The nonce that signed in last.
  private var accepted: String?

  package init(
    _ client: BetterAuthClient, _ profile: HandOffProfile, entropy: any Entropy,
    sleeper: any Sleeper
  ) {
    self.client = client
    self.profile = profile
    self.entropy = entropy
    self.sleeper = sleeper
    attempts = HandOffAttempts(
      profile, client.ports, name: "\(client.setup.storagePrefix)_handoff")
    do throws(TrustProblem) {
      list = try client.setup.trust.list()
    } catch {
      client.ports.console.error("hand-offs are off: \(error)")
      list = nil
    }
  }

  /// Starts an attempt and follows it to its end.
  package func signIn(withPasskey: Bool = false) async -> HandOffOutcome {
    // A second tap while the browser is open must not take the nonce away from the first (H-06).
    if profile == .hardened, isOpen { return .cancelled }
    isOpen = true
    defer { isOpen = false }
    if withPasskey, await !client.offersPasskeys() { return .failed(.passkeyUnavailable) }
    let attempt = HandOffAttempt(entropy, nowMs: client.ports.clock.nowMs, profile: profile)
    let page: String
    do throws(CryptoError) {
      page = try self.page(attempt)
    } catch {
      return .failed(.browserFailed)
    }
    await attempts.begin(attempt)
    switch await open(page) {
    case .result(.success(let url)):
      // The same address may have come as a link before the browser said so.
      if profile == .hardened, accepted == attempt.nonce { return .signedIn }
      return await accept(url)
    case .result(.cancel):
      await attempts.end()
      return .cancelled
    case .result(.dismiss):
      // On Android the page may go on, and its callback come as a link (H-07).
      if profile == .seed { await attempts.end() }
      return .cancelled
    case .result(.locked), .failed:
      await attempts.end()
      return .failed(.browserFailed)
    }
  }

  /// Takes an address that the system opened the app with, at a cold start or later.
  package func accept(_ url: String) async -> HandOffOutcome {
    do throws(HandOffFailure) {
      try await finish(url)
      return .signedIn
    } catch {
      return .failed(error)
    }
  }

  /// `{API URL}/auth?mobile_callback=<deep link>`; hardened: with a challenge beside it.
  private func page(_ attempt: HandOffAttempt) throws(CryptoError) -> String {
    let link = "\(client.setup.scheme)://\(TrustList.host)/callback?state=\(attempt.nonce)"
    var query = FormQuery()
    query.add("mobile_callback", link)
    if let challenge = try attempt.challenge() { query.add("mobile_challenge", challenge) }
    return "\(client.setup.apiURL)/auth?\(query.text)"
  }
}

// MARK: - The browser

extension HandOff {
  private enum Opened {
    case result(BrowserResult)
    /// Not opened, or hardened: no end within the limit (H-27).
    case failed
  }

  private func open(_ page: String) async -> Opened {
    let redirect = "\(client.setup.scheme)://\(TrustList.host)"
    switch profile {
    case .seed: return await Self.opened(client.ports.browser, page, redirect)
    case .hardened:
      let first = FirstOf<Opened>()
      let (browser, sleeper) = (client.ports.browser, self.sleeper)
      client.ports.spawner.spawn("hand-off browser") {
        first.settle(await Self.opened(browser, page, redirect))
      }
      client.ports.spawner.spawn("hand-off deadline") {
        do throws(ProcessGone) {
          try await sleeper.sleep(for: .milliseconds(HandOffAttempts.limitMs))
          first.settle(.failed)
        } catch {
          first.settle(.failed)  // Nobody hears of it, but whoever waits must come to an end.
        }
      }
      return await first.value()
    }
  }

  private static func opened(
    _ browser: any Browser, _ page: String, _ redirect: String
  ) async -> Opened {
    do throws(NativeError) {
      return .result(try await browser.openAuthSession(page, redirect: redirect))
    } catch {
      return .failed
    }
  }
}

/// Waits for the first of several values. All callers are on one thread.
private final class FirstOf<Value> {
  private var settled: Value?
  private var waiting: CheckedContinuation<Void, Never>?

  func settle(_ value: Value) {
    guard settled == nil else { return }
    settled = value
    waiting?.resume()
    waiting = nil
  }

  func value() async -> Value {
    if settled == nil { await withCheckedContinuation { waiting = $0 } }
    guard let settled else { preconditionFailure("nobody resumes before there is a value") }
    return settled
  }
}

// MARK: - The callback

extension HandOff {
  private func finish(_ text: String) async throws(HandOffFailure) {
    let url: CallbackURL
    do throws(CallbackRefusal) {
      guard let list else { throw CallbackRefusal(.list) }
      url = try list.admit(text)
    } catch {
      throw .untrustedCallback
    }
    guard let attempt = await attempts.take(url.single("state")) else { throw .stateMismatch }
    let cookie = try await cookie(url, attempt)
    guard SessionCookie.isUsable(cookie, nowMs: client.ports.clock.nowMs) else {
      throw .malformedCookie
    }
    try await client.takeOver(cookie, past: profile == .seed)
    accepted = attempt.nonce
  }

  /// The text of a `Set-Cookie` header, from the address or for its code.
  private func cookie(
    _ url: CallbackURL, _ attempt: HandOffAttempt
  ) async throws(HandOffFailure) -> SetCookieHeader {
    switch attempt.verifier {
    case nil:
      guard url.has("cookie") else { throw .missingCookie }
      guard let written = url.single("cookie"), let text = FormText.decode(written) else {
        throw .malformedCookie
      }
      guard !text.isEmpty else { throw .missingCookie }
      return SetCookieHeader(text)
    case let verifier?:
      // The server sends none, so somebody else put it there.
      guard !url.has("cookie") else { throw .malformedCookie }
      guard let code = url.single("code"), !code.isEmpty else { throw .missingCookie }
      return try await client.redeem(code, verifier)
    }
  }
}

/// What a session of Better Auth looks like in a `Set-Cookie` header.
enum SessionCookie {
  /// Exactly one signed session that has not ended: the parser of headers refuses nothing (H-22).
  static func isUsable(_ header: SetCookieHeader, nowMs: Int64) -> Bool {
    let sessions = header.cookies.filter {
      CookieName.withoutSecurePrefix($0.name).hasSuffix(".session_token")
    }
    guard sessions.count == 1, let session = sessions.first else { return false }
    let (token, signature) = session.value.dividedOnce(at: ".")
    guard !token.isEmpty, signature?.isEmpty == false,
      session.value.unicodeScalars.allSatisfy({ ("\u{21}"..."\u{7e}").contains($0) })
    else { return false }
    do throws(CookieJarError) {
      for cookie in header.cookies { _ = try cookie.end(nowMs: nowMs) }
      return try session.end(nowMs: nowMs) != .now
    } catch {
      return false
    }
  }
}
