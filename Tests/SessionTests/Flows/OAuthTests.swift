import Crypto
import Ports
import Session
import TestSupport
import Testing

@Suite struct `Signing in by a browser` {
  private let browser = ScriptedBrowser()
  private static let callback = "mkkit://auth/callback"

  private func launch(_ profile: AppProfile = .seed) -> (App, OAuthFlow) {
    let app = App(profile).start()
    app.auth.flow = "flow-1"
    return (app, flow(app))
  }

  private func flow(_ app: App) -> OAuthFlow {
    OAuthFlow(app.context, browser, OAuthAttempts(app.storage, app.console))
  }

  private func signIn(
    _ profile: AppProfile, _ result: Result<BrowserResult, NativeError>
  ) -> (App, OAuthFlow, OAuthFlow.Outcome?) {
    let (app, flow) = launch(profile)
    browser.results = [result]
    let outcome = app.loop.perform { await flow.signIn("google") }
    return (app, flow, outcome)
  }

  // R-OAUTH-1, R-OAUTH-2, R-OAUTH-4, R-GUARD-3, R-STATE-6
  @Test(arguments: AppProfile.allCases)
  func `asks for an address, opens it, and exchanges the code`(profile: AppProfile) {
    let (app, flow, outcome) = signIn(profile, .success(.success("\(Self.callback)?code=c%2B1")))
    #expect(outcome == .signedIn)
    #expect(app.auth.sent["signInWithOAuth"] == ["google", Self.callback, nil])
    #expect(browser.opened.map(\.url) == ["https://auth.example.com/authorize?provider=google"])
    #expect(browser.opened.map(\.redirect) == [Self.callback])
    #expect(app.auth.sent["exchangeCodeForSession"]?.first == "c+1")
    #expect(app.navigator.log.map(\.author) == [.authGuard])
    #expect(flow.attempt.alert == nil && !flow.attempt.isPending)
  }

  // R-OAUTH-3
  @Test(arguments: AppProfile.allCases)
  func `reads an error from the address, which wins over a code`(profile: AppProfile) {
    let address = "\(Self.callback)?error=access_denied&error_description=User+said%20no&code=c"
    let (app, flow, outcome) = signIn(profile, .success(.success(address)))
    #expect(outcome == .failed)
    #expect(flow.attempt.alert?.key == "errors.User said no")
    #expect(app.auth.calls("exchange").isEmpty)
  }

  // R-OAUTH-3
  @Test func `takes the error itself without a description`() {
    let (_, flow, _) = signIn(.seed, .success(.success("\(Self.callback)?error=server_error")))
    #expect(flow.attempt.alert?.key == "errors.server_error")
  }

  // R-OAUTH-15, R-CLIENT-4, R-CLIENT-5
  @Test(arguments: ["", "?code=", "#access_token=a&refresh_token=r", "?state=1#code=c"])
  func `fails without a code, and never takes anything from the fragment`(rest: String) {
    for profile in AppProfile.allCases {
      let (app, flow, outcome) = signIn(profile, .success(.success(Self.callback + rest)))
      #expect(outcome == .failed, "\(profile)")
      #expect(flow.attempt.alert != nil)
      #expect(app.auth.calls("exchange", "!") == ["! INITIAL_SESSION"])
      #expect(app.provider.session == nil)
    }
  }

  // R-CLIENT-4
  @Test(arguments: AppProfile.allCases)
  func `ignores a deep link that nobody waits for`(profile: AppProfile) {
    let (app, flow) = launch(profile)
    for rest in ["#access_token=a&refresh_token=r", "?code=c"] {
      let outcome = app.loop.perform { await flow.receive(Self.callback + rest) }
      #expect(outcome == .cancelled)
    }
    #expect(app.auth.calls("exchange").isEmpty)
    #expect(app.provider.session == nil)
  }

  // R-OAUTH-5
  @Test(arguments: [BrowserResult.cancel, .dismiss, .locked])
  func `is silent when the person leaves`(result: BrowserResult) {
    for profile in AppProfile.allCases {
      let (app, flow, outcome) = signIn(profile, .success(result))
      #expect(outcome == .cancelled, "\(profile)")
      #expect(flow.attempt == Attempt())
      #expect(app.navigator.log.isEmpty)
    }
  }

  // R-OAUTH-6, H-06
  @Test(arguments: AppProfile.allCases)
  func `absorbs a second one, and finishes the first`(profile: AppProfile) {
    let (app, first) = launch(profile)
    let second = flow(app)
    let gate = Gate()
    browser.gates = [gate]
    browser.results = [.success(.success("\(Self.callback)?code=c"))]
    app.loop.perform { await first.signIn("google") }
    #expect(app.loop.perform { await second.signIn("google") } == .cancelled)
    #expect(app.loop.perform { await first.signIn("google") } == .cancelled)
    #expect(second.attempt.alert == nil)
    gate.open()
    app.loop.run()
    #expect(app.auth.calls("exchange").count == 1)
    #expect(app.provider.status == .authenticated)
  }

  // H-06
  @Test func `shows Android's other words for it in seed, and absorbs them in hardened`() {
    let words = "The WebBrowser's auth session is in an invalid state with a redirect handler set"
    for profile in AppProfile.allCases {
      let (_, flow, outcome) = signIn(profile, .failure(NativeError(message: words)))
      #expect(outcome == (profile == .seed ? .failed : .cancelled), "\(profile)")
      #expect((flow.attempt.alert == nil) == (profile == .hardened))
    }
  }

  @Test func `shows any other rejection of the browser`() {
    for profile in AppProfile.allCases {
      let (_, flow, outcome) = signIn(profile, .failure(NativeError(message: "no browser")))
      #expect(outcome == .failed && flow.attempt.alert?.key == "errors.no browser")
    }
  }

  // H-07
  @Test func `loses a redirect that comes after a dismissed sheet in seed, not in hardened`() {
    for profile in AppProfile.allCases {
      let (app, flow, _) = signIn(profile, .success(.dismiss))
      let url = "\(Self.callback)?code=c"
      let outcome = app.loop.perform { await flow.receive(url) }
      #expect(outcome == (profile == .seed ? .cancelled : .signedIn), "\(profile)")
      #expect(app.loop.perform { await flow.receive(url) } == .cancelled)
      #expect(app.auth.calls("exchange").count == (profile == .seed ? 0 : 1))
    }
  }

  // H-07
  @Test func `takes a late redirect at a cold start within five minutes, in hardened`() {
    for minutes in [4, 5] {
      let (app, _, _) = signIn(.hardened, .success(.dismiss))
      app.provider.stop()
      let next = App(.hardened, auth: app.auth, storage: app.storage).start()
      next.loop.advance(by: .seconds(60 * minutes))
      let outcome = next.loop.perform { await flow(next).receive("\(Self.callback)?code=c") }
      #expect(outcome == (minutes == 4 ? .signedIn : .cancelled), "\(minutes) minutes")
    }
  }

  // H-07, R-OAUTH-2
  @Test(arguments: ["mkkit://auth/callbacks", "mkkit://evil", "mkkit2://auth/callback"])
  func `takes any address that the browser gives in seed, and its own in hardened`(url: String) {
    for profile in AppProfile.allCases {
      let (app, flow, _) = signIn(profile, .success(.success("\(url)?code=c")))
      #expect(app.auth.calls("exchange").count == (profile == .seed ? 1 : 0), "\(profile)")
      guard profile == .hardened else { continue }
      // The attempt is not spent by that.
      let outcome = app.loop.perform { await flow.receive("\(Self.callback)?code=c") }
      #expect(outcome == .signedIn)
    }
  }

  @Test(arguments: AppProfile.allCases)
  func `works while the plain storage does not`(profile: AppProfile) {
    let (app, flow) = launch(profile)
    app.storage.scripts = ["set": [.fail], "remove": [.fail]]
    browser.results = [.success(.success("\(Self.callback)?code=c"))]
    #expect(app.loop.perform { await flow.signIn("google") } == .signedIn)
    #expect(app.loop.perform { await flow.receive("\(Self.callback)?code=c") } == .cancelled)
  }

  // H-17
  @Test func `names its own flow in hardened, and takes the last one in seed`() {
    for profile in AppProfile.allCases {
      let (app, _, _) = signIn(profile, .success(.success("\(Self.callback)?code=c")))
      let sent = app.auth.sent["exchangeCodeForSession"]
      #expect(sent == ["c", profile == .seed ? nil : "flow-1"], "\(profile)")
    }
  }

  // H-17
  @Test func `a second tap starts a flow of its own in seed, and none in hardened`() {
    for profile in AppProfile.allCases {
      let browser = ScriptedBrowser()
      browser.gates = [Gate()]
      let app = App(profile).start()
      let flow = OAuthFlow(app.context, browser, OAuthAttempts(app.storage, app.console))
      app.loop.perform { await flow.signIn("google") }
      app.loop.perform { await flow.signIn("google") }
      #expect(app.auth.calls("signInWithOAuth").count == (profile == .seed ? 2 : 1), "\(profile)")
    }
  }

  // H-27
  @Test func `waits for ever for a browser that did not open in seed, and not in hardened`() {
    for profile in AppProfile.allCases {
      let browser = ScriptedBrowser()
      browser.gates = [Gate()]
      let app = App(profile).start()
      let flow = OAuthFlow(app.context, browser, OAuthAttempts(app.storage, app.console))
      app.loop.perform { await flow.signIn("google") }
      app.loop.advance(by: .seconds(301))
      #expect(flow.attempt.isPending == (profile == .seed), "\(profile)")
      #expect((flow.attempt.alert == nil) == (profile == .seed))
    }
  }

  // R-OAUTH-4
  @Test func `shows that the exchange was refused`() {
    let (app, flow) = launch()
    app.auth.scripts["exchangeCodeForSession"] = [.fail(.verifierMissing)]
    browser.results = [.success(.success("\(Self.callback)?code=c"))]
    app.loop.perform { await flow.signIn("google") }
    #expect(flow.attempt.alert?.key == "errors.pkce_code_verifier_not_found")
  }

  // R-OAUTH-10, R-OAUTH-13
  @Test(arguments: ["google", "github", "azure", "gitlab.com", "unheard-of"])
  func `is the same for each provider, but for its scopes`(provider: String) {
    let (app, flow) = launch()
    browser.results = [.success(.success("\(Self.callback)?code=c"))]
    #expect(app.loop.perform { await flow.signIn(provider) } == .signedIn)
    #expect(
      app.auth.sent["signInWithOAuth"]
        == [provider, Self.callback, provider == "azure" ? "email" : nil])
  }
}

@Suite struct `The list of providers` {
  // R-OAUTH-7
  @Test func `comes from one variable`() {
    let table: [(String?, [String])] = [
      (nil, ["google"]), ("", ["google"]), (" , ", ["google"]), ("github", ["github"]),
      (" google , github ", ["google", "github"]), ("a,b,a", ["a", "b"]),
      ("unheard-of", ["unheard-of"]),
    ]
    for (text, ids) in table { #expect(ProviderList(text).ids == ids, "\(text ?? "unset")") }
    #expect(ProviderList.variable == "EXPO_PUBLIC_AUTH_OAUTH_PROVIDERS")
  }

  // R-OAUTH-12
  @Test func `is fixed once it is read`() {
    var environment = [ProviderList.variable: "google"]
    let list = ProviderList(environment[ProviderList.variable])
    environment[ProviderList.variable] = "github"
    #expect(list.ids == ["google"])
  }

  // R-OAUTH-8, R-OAUTH-9
  @Test func `has four pictures`() {
    #expect(ProviderList.logo("google") == "google.webp")
    #expect(ProviderList.logo("facebook") == "facebook.webp")
    #expect(ProviderList.logo("github") == "github.webp")
    #expect(ProviderList.logo("azure") == "microsoft.webp")
    #expect(ProviderList.logo("gitlab") == nil)
    let list = ProviderList("gitlab").rendered(isIOS: true, isAppleAvailable: true)
    #expect(list == ["gitlab"])
  }

  // R-OAUTH-11
  @Test func `makes labels from ids`() {
    #expect(ProviderList.label("google") == "Google")
    #expect(ProviderList.label("github.com") == "Github")
    #expect(ProviderList.label("com") == "Com")
    #expect(ProviderList.label("") == "")
  }

  // R-APPLE-1, R-APPLE-6, R-APPLE-7
  @Test func `has Apple first, on iOS, if its sheet is available`() {
    let list = ProviderList("google,apple,github")
    #expect(list.rendered(isIOS: true, isAppleAvailable: true) == ["apple", "google", "github"])
    #expect(list.rendered(isIOS: true, isAppleAvailable: false) == ["google", "github"])
    #expect(list.rendered(isIOS: false, isAppleAvailable: true) == ["google", "github"])
    #expect(ProviderList("google").rendered(isIOS: true, isAppleAvailable: true) == ["google"])
  }

  // R-APPLE-8
  @Test func `keeps Apple's entitlement only if it names Apple`() {
    #expect(!ProviderList(nil).needsAppleEntitlement)
    #expect(!ProviderList("google,pineapple").needsAppleEntitlement)
    #expect(ProviderList("google, apple").needsAppleEntitlement)
  }
}

@Suite struct `Signing in with Apple` {
  private let sheet = FakeAppleSheet()

  private func launch(_ profile: AppProfile = .seed) -> (App, AppleFlow) {
    let app = App(profile).start()
    return (app, AppleFlow(app.context, sheet, FakeEntropy(Journal())))
  }

  private func credential(
    _ token: String? = "identity", _ name: AppleName? = AppleName()
  ) -> Result<AppleCredential, NativeError> {
    .success(AppleCredential(identityToken: token, fullName: name))
  }

  // R-APPLE-1, R-APPLE-2, R-STATE-6, R-GUARD-3
  @Test(arguments: AppProfile.allCases)
  func `gives the sheet the digest of the nonce, and the server the nonce`(
    profile: AppProfile
  ) throws {
    let (app, flow) = launch(profile)
    sheet.results = [credential("identity", nil)]
    #expect(app.loop.perform { await flow.signIn() } == .signedIn)
    let sent = try #require(app.auth.sent["signInWithIdToken"])
    let nonce = try #require(sent[2])
    #expect(sent[0] == "apple" && sent[1] == "identity")
    #expect(sheet.nonces == [Hexadecimal.encode(try sha256(Array(nonce.utf8)))])
    #expect(nonce.utf8.count == 64 && nonce != sheet.nonces[0])
    #expect(app.auth.calls("signInWithOAuth", "exchange").isEmpty)
    #expect(app.navigator.log.map(\.author) == [.authGuard])
  }

  // R-APPLE-3
  @Test func `makes a new nonce each time`() {
    let (app, flow) = launch()
    sheet.results = [credential(), credential()]
    app.loop.perform { await flow.signIn() }
    app.loop.perform { await flow.signIn() }
    #expect(Set(sheet.nonces).count == 2)
  }

  // R-APPLE-4, R-APPLE-5
  @Test(arguments: AppProfile.allCases)
  func `writes the name of the first time`(profile: AppProfile) {
    let (app, flow) = launch(profile)
    sheet.results = [credential("identity", AppleName(givenName: "Ada", familyName: "Lovelace"))]
    app.loop.perform { await flow.signIn() }
    #expect(app.auth.sent["updateUser"] == [#"{"data":{"full_name":"Ada Lovelace"}}"#])
  }

  // R-APPLE-4, R-APPLE-5, H-20
  @Test func `blanks the name at the second time in seed, and leaves it in hardened`() {
    for profile in AppProfile.allCases {
      let (app, flow) = launch(profile)
      sheet.results = [credential()]
      app.loop.perform { await flow.signIn() }
      #expect(
        app.auth.sent["updateUser"] == (profile == .seed ? [#"{"data":{"full_name":""}}"#] : nil))
    }
  }

  // R-APPLE-5, H-20
  @Test func `overwrites a name that is there in seed, and not in hardened`() {
    for profile in AppProfile.allCases {
      let (app, flow) = launch(profile)
      app.auth.stored = makeSession("ada", fullName: "Countess")
      sheet.results = [credential("identity", AppleName(givenName: "Ada"))]
      app.loop.perform { await flow.signIn() }
      #expect(app.auth.calls("updateUser").count == (profile == .seed ? 1 : 0), "\(profile)")
    }
  }

  // R-APPLE-9
  @Test func `is silent when the person closes the sheet, and not for other errors`() {
    for (code, outcome) in [
      (AppleFlow.cancelCode, OAuthFlow.Outcome.cancelled), ("ERR_REQUEST_UNKNOWN", .failed),
    ] {
      let (app, flow) = launch()
      sheet.results = [.failure(NativeError(code: code, message: "made up"))]
      #expect(app.loop.perform { await flow.signIn() } == outcome)
      #expect((flow.attempt.alert == nil) == (outcome == .cancelled))
      #expect(app.auth.calls("signIn").isEmpty)
    }
  }

  // R-APPLE-10
  @Test func `fails without an identity token`() {
    let (app, flow) = launch()
    sheet.results = [credential(nil)]
    #expect(app.loop.perform { await flow.signIn() } == .failed)
    #expect(flow.attempt.alert != nil)
    #expect(app.auth.calls("signIn").isEmpty)
  }
}
