package import Ports

/// The buttons of the providers: a round trip through the system's browser, the same for each.
package final class OAuthFlow {
  package enum Outcome: Equatable, Sendable {
    /// The session has landed; what follows is the guard's.
    case signedIn
    /// Nothing is shown.
    case cancelled
    case failed
  }

  package static let redirect = "mkkit://auth/callback"
  /// How long `hardened` waits for a browser that may never answer.
  package static let browserMax = Duration.milliseconds(OAuthAttempt.lifetimeMs)

  package private(set) var attempt = Attempt()
  private let context: FlowContext
  private let browser: any Browser
  private let attempts: OAuthAttempts
  private var isOpen = false

  package init(_ context: FlowContext, _ browser: any Browser, _ attempts: OAuthAttempts) {
    self.context = context
    self.browser = browser
    self.attempts = attempts
  }

  /// Signs in at a provider.
  ///
  /// In the profile `seed`, a second call beside the first starts a flow of its own, which takes the
  /// place of the first's verifier; `hardened` starts none.
  package func signIn(_ provider: String) async -> Outcome {
    if context.profile == .hardened, isOpen { return .cancelled }
    isOpen = true
    defer { isOpen = false }
    attempt.begin()
    let flow: String?
    let result: Result<BrowserResult, NativeError>?
    do throws(AuthError) {
      let start = try await context.auth.signInWithOAuth(
        provider: provider, redirectTo: Self.redirect, scopes: ProviderList.scopes(provider))
      flow = start.flow
      result = await open(start.url, flow)
    } catch {
      return failed(context.alert(error))
    }
    switch result {
    case .success(.success(let url)):
      guard context.profile == .hardened else { return await complete(url, flow: nil) }
      return await receive(url)
    case .success(.cancel), .success(.locked): return cancelled()
    case .success(.dismiss):
      // Android says that of any way back to the app; the redirect may still come.
      return cancelled()
    case .failure(let error):
      if isAbsorbed(error) { return cancelled() }
      return failed(AuthAlert(.error(code: error.code, message: error.message), context.profile))
    case nil:
      return failed(AuthAlert(.text("browser_timeout"), context.profile))
    }
  }

  /// An address that reached the app as a deep link: after a dismissed sheet, or at a cold start.
  ///
  /// In the profile `seed` nobody waits for it. `hardened` accepts it once, while the attempt is young.
  package func receive(_ url: String) async -> Outcome {
    guard context.profile == .hardened, isCallback(url),
      let kept = await attempts.take(nowMs: context.clock.nowMs)
    else { return cancelled() }
    return await complete(url, flow: kept.flow)
  }

  private func open(_ url: String, _ flow: String?) async -> Result<BrowserResult, NativeError>? {
    let browser = browser
    let work = { () async -> Result<BrowserResult, NativeError> in
      do throws(NativeError) {
        return .success(try await browser.openAuthSession(url, redirect: Self.redirect))
      } catch {
        return .failure(error)
      }
    }
    guard context.profile == .hardened else { return await work() }
    await attempts.keep(OAuthAttempt(flow: flow, startedAtMs: context.clock.nowMs))
    return await Deadline(spawner: context.spawner, sleeper: context.sleeper)
      .limit("browser", to: Self.browserMax, work)
  }

  private func complete(_ url: String, flow: String?) async -> Outcome {
    let parameters = CallbackParameters(url)
    // Whatever else is there: an error is an error.
    if let error = parameters["error"] {
      let message = parameters["error_description"] ?? error
      return failed(AuthAlert(.error(code: nil, message: message), context.profile))
    }
    guard let code = parameters["code"] else {
      return failed(AuthAlert(.text("missing_code"), context.profile))
    }
    do throws(AuthError) {
      _ = try await context.auth.exchangeCodeForSession(code, flow: flow)
      attempt.succeed()
      return .signedIn
    } catch {
      return failed(context.alert(error))
    }
  }

  /// iOS compares the scheme only.
  private func isCallback(_ url: String) -> Bool {
    guard url.hasPrefix(Self.redirect) else { return false }
    return url.dropFirst(Self.redirect.count).first.map { "?#".contains($0) } ?? true
  }

  /// Another session is open: the words of the text, and those that Android really says.
  private func isAbsorbed(_ error: NativeError) -> Bool {
    error.message.contains("already open")
      || (context.profile == .hardened && error.message.contains("invalid state"))
  }

  private func cancelled() -> Outcome {
    attempt.end()
    return .cancelled
  }

  private func failed(_ alert: AuthAlert) -> Outcome {
    attempt.fail(alert)
    return .failed
  }
}
