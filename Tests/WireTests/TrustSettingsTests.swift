import Testing
import Wire

@Suite struct `The settings of a hand-off` {
  static func settings(
    _ origins: String?, scheme: String? = "supastack", production: Bool = true
  ) -> TrustSettings {
    TrustSettings(scheme: scheme, allowedOrigins: origins, isProduction: production)
  }

  @Test func `give the list of exact origins (R-HAND-10, R-HAND-11)`() throws {
    let list = try Self.settings(" https://app.example.com , https://b.example.com:8443").list()
    #expect(list.scheme == "supastack")
    #expect(list.origins.map(\.text) == ["https://app.example.com", "https://b.example.com:8443"])
  }

  @Test(arguments: [nil, "", " ", ",", " , "])
  func `must name origins in production (R-HAND-13)`(_ origins: String?) {
    #expect(throws: TrustProblem(.origins, "is not set")) { try Self.settings(origins).list() }
  }

  @Test(arguments: [nil, "", " , "])
  func `may name none in development (R-HAND-15)`(_ origins: String?) throws {
    #expect(try Self.settings(origins, production: false).list().origins == [])
  }

  @Test(arguments: [
    "http://app.example.com", "https://localhost", "https://localhost:3000", "https://x.localhost",
    "https://127.0.0.1", "https://127.1", "https://10.0.0.1", "https://172.16.0.1",
    "https://172.31.255.255", "https://192.168.1.1", "https://169.254.169.254", "https://0.0.0.0",
    "https://100.64.0.1", "https://[::1]", "https://[fe80::1]", "https://[fd00::1]", "*",
    "https://*", "https://*.example.com", "https://app.example.*", "https://intranet",
    "https://printer.local", "https://db.internal", "https://app.example.com/",
    "https://app.example.com/path", "https://app.example.com?x=1", "https://app.example.com?",
    "https://app.example.com#x", "https://user@app.example.com", "https://app.example.com:443",
    "https://APP.example.com", "https://app.example.com.", "supastack://auth", "app.example.com",
    "https://app.example.com https://b.example.com",
  ]) func `name exact and public origins of HTTPS only (R-HAND-14)`(_ entry: String) throws {
    for origins in [entry, "https://good.example.com,\(entry)"] {
      let problem = try #require(throws: TrustProblem.self) { try Self.settings(origins).list() }
      #expect(problem.field == .origins && problem.entry == entry)
    }
  }

  @Test(arguments: [
    "https://app.example.com", "https://172.32.0.1", "https://8.8.8.8", "https://a.b:1",
    "https://localhost.example.com",
  ]) func `accept any public origin (R-HAND-14)`(_ entry: String) throws {
    #expect(try Self.settings(entry).list().origins.map(\.text) == [entry])
  }

  @Test func `may name local origins in development, but no wildcard`() throws {
    let local = "http://localhost:3000,https://10.0.0.1"
    #expect(try Self.settings(local, production: false).list().origins.count == 2)
    #expect(throws: TrustProblem.self) {
      try Self.settings("https://*.example.com", production: false).list()
    }
  }

  @Test(arguments: [nil, "", "https", "javascript", "Supastack", "1app", "a b", "app:", "app://"])
  func `must name a scheme of an app`(_ scheme: String?) {
    let problem = #expect(throws: TrustProblem.self) {
      try Self.settings("https://app.example.com", scheme: scheme).list()
    }
    #expect(problem?.field == .scheme)
  }
}

@Suite struct `The doctor of hand-offs` {
  static func settings(_ scheme: String, _ origins: String) -> TrustSettings {
    TrustSettings(scheme: scheme, allowedOrigins: origins, isProduction: true)
  }

  static let app = settings("supastack", "https://app.example.com")

  // R-HAND-25
  @Test func `has nothing to say about equal settings`() {
    #expect(TrustDoctor.diagnose(app: Self.app, server: Self.app) == [])
  }

  // R-HAND-25
  @Test func `names the scheme that differs`() {
    let server = Self.settings("superstack", "https://app.example.com")
    #expect(
      TrustDoctor.diagnose(app: Self.app, server: server) == [
        "EXPO_PUBLIC_APP_SCHEME differs: app 'supastack', server 'superstack'"
      ])
  }

  // R-HAND-25
  @Test func `names the origins that differ, and who refuses them`() {
    let server = Self.settings("supastack", "https://new.example.com")
    #expect(
      TrustDoctor.diagnose(app: Self.app, server: server) == [
        "MOBILE_ALLOWED_ORIGINS differs: 'https://app.example.com' only in the app's; "
          + "the server refuses it",
        "MOBILE_ALLOWED_ORIGINS differs: 'https://new.example.com' only in the server's; "
          + "the app refuses it",
      ])
  }

  // R-HAND-25
  @Test func `names the setting that no list can be built from`() {
    let server = Self.settings("supastack", "")
    #expect(
      TrustDoctor.diagnose(app: Self.app, server: server) == [
        "server: MOBILE_ALLOWED_ORIGINS is not set"
      ])
  }
}
