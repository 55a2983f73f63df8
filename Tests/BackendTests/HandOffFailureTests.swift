import Backend
import Crypto
import JSON
import Ports
import Session
import TestSupport
import Testing
import Wire

/// One break of a hand-off, and what the screen is told.
struct Break: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var failure: HandOffFailure
  var profiles: [HandOffProfile] = HandOffProfile.allCases
  var isWithPasskey = false
  /// Whether nothing can be read while it lasts.
  var set: @Sendable (HandOffBench) -> Void

  /// The address with another query than the server's, made from the nonce.
  static func query(_ make: @escaping @Sendable (_ nonce: String) -> String)
    -> @Sendable (
      HandOffBench
    ) -> Void
  {
    { bench in
      bench.person.tamper = { address in
        let query = FormQuery(address.drop { $0 != "?" }.dropFirst())
        return "supastack://auth/callback?\(make(query.single("state") ?? ""))"
      }
    }
  }

  static func cookie(_ text: String) -> @Sendable (HandOffBench) -> Void {
    query { "state=\($0)&cookie=\(FormText.encode(text))" }
  }

  // R-HAND-18, R-HAND-19
  static let all: [Break] =
    [
      Break(testDescription: "passkeys off", failure: .passkeyUnavailable, isWithPasskey: true) {
        $0.environment.authPasskeyEnabled = nil
      },
      Break(testDescription: "nothing opens", failure: .browserFailed) {
        $0.person.refusal = NativeError(message: "no activity")
      },
      Break(testDescription: "locked", failure: .browserFailed) { $0.person.ending = .locked },
      Break(testDescription: "another scheme", failure: .untrustedCallback) {
        $0.person.tamper = { "evil\($0)" }
      },
      Break(testDescription: "another host", failure: .untrustedCallback) {
        $0.person.tamper = { $0.replacing("auth/", with: "auth.evil/") }
      },
      Break(
        testDescription: "no nonce", failure: .stateMismatch,
        set: query { _ in "cookie=better-auth.session_token%3Da.b&code=c" }),
      Break(
        testDescription: "another nonce", failure: .stateMismatch,
        set: query { _ in "state=x&cookie=better-auth.session_token%3Da.b&code=c" }),
      Break(testDescription: "no cookie", failure: .missingCookie, set: query { "state=\($0)" }),
      Break(
        testDescription: "an empty cookie", failure: .missingCookie, profiles: [.seed],
        set: query { "state=\($0)&cookie=" }),
      Break(
        testDescription: "an empty code", failure: .missingCookie, profiles: [.hardened],
        set: query { "state=\($0)&code=" }),
      Break(
        testDescription: "another code", failure: .exchangeFailed, profiles: [.hardened],
        set: query { "state=\($0)&code=c" }),
      Break(testDescription: "jar not written", failure: .cookieStoreFailed, profiles: [.seed]) {
        $0.store.failsWrite = { _ in true }
      },
      Break(testDescription: "jar not written", failure: .cookieStoreFailed, profiles: [.hardened])
      {
        $0.store.failsWrite = { $0 > 0 }  // The first write keeps the attempt.
      },
      Break(testDescription: "jar not read", failure: .cookieStoreFailed) {
        let bench = $0
        bench.person.tamper = { address in
          bench.store.failsReads = true
          return address
        }
      },
    ]
    + [
      "garbage", "<html></html>", "better-auth.session_token", "better-auth.session_token=",
      "better-auth.session_token=nodot", "better-auth.session_token=.sig",
      "better-auth.session_token=tok.", "other=tok.sig", "session_token=tok.sig",
      "better-auth.session_token=tok.sig; Max-Age=0",
      "better-auth.session_token=tok.sig; Max-Age=-1",
      "better-auth.session_token=tok.sig; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
      "better-auth.session_token=tok.sig; Expires=soon",
      "better-auth.session_token=tok.sig, other=1; Expires=soon",
      "better-auth.session_token=a.b, __Secure-better-auth.session_token=c.d",
      "better-auth.session_token=tok.sig%0d%0ax", "better-auth.session_token=t ok.sig",
    ].map {
      Break(testDescription: $0, failure: .malformedCookie, profiles: [.seed], set: cookie($0))
    }
}

@Suite struct `A hand-off that breaks` {
  // R-HAND-18, R-HAND-19, R-HAND-20
  @Test(arguments: Break.all)
  func `says how, and leaves the jar as it was`(_ broken: Break) async throws {
    for profile in broken.profiles {
      let bench = HandOffBench()
      bench.fill([("other", "o"), ("better-auth.session_token", "old.sig")])
      let before = bench.store.items
      let app = bench.launch(profile)
      broken.set(bench)
      let outcome = bench.signIn(app.handOff, withPasskey: broken.isWithPasskey)
      #expect(outcome == .failed(broken.failure), "\(profile)")
      let jar = bench.store.items[HandOffBench.cookieItem]
      #expect(jar == before[HandOffBench.cookieItem], "\(profile)")
      #expect(!bench.loop.names.contains("better-auth session signal"))
    }
  }

  // R-HAND-18
  @Test func `has a break for each failure`() {
    #expect(Set(Break.all.map(\.failure)) == Set(HandOffFailure.allCases))
  }

  // R-HAND-19
  @Test(arguments: [
    ("evil://auth/callback?state=x&cookie=", HandOffFailure.untrustedCallback),
    ("supastack://auth/callback?state=x", .stateMismatch),
    ("supastack://auth/callback?state=N", .missingCookie),
    ("supastack://auth/callback?state=N&cookie=garbage", .malformedCookie),
    (
      "supastack://auth/callback?state=N&cookie=better-auth.session_token%3Da.b", .cookieStoreFailed
    ),
  ]) func `is told in the order of the checks`(
    _ address: String, _ failure: HandOffFailure
  ) {
    let bench = HandOffBench()
    bench.person.tamper = { sent in
      let query = FormQuery(sent.drop { $0 != "?" }.dropFirst())
      return address.replacing("state=N", with: "state=\(query.single("state") ?? "")")
    }
    bench.store.failsWrite = { _ in true }
    #expect(bench.signIn(bench.launch(.seed).handOff) == .failed(failure))
  }

  // R-HAND-20, H-22: a long jar, and each write that can fail once or from then on.
  @Test(arguments: [BetterAuthBehaviour.expo171, .hardened], [false, true])
  func `never leaves half a jar where chunks alternate`(
    _ behaviour: BetterAuthBehaviour, _ isForGood: Bool
  ) async throws {
    var damaged = 0
    var failed = 0
    for number in 1..<12 {
      let bench = HandOffBench()
      let app = bench.launch(.hardened, behaviour)
      let cookies = "better-auth.session_token=old.sig, better-auth.long=\(HandOffBench.longValue)"
      try await app.client.received("/x", [cookies], nil)
      let before = try #require(try await bench.jar)
      #expect(before.utf16.count > 5000)
      bench.store.restart()
      // The first write keeps the attempt.
      bench.store.failsWrite = { isForGood ? $0 >= number : $0 == number }
      guard case .failed = bench.signIn(app.handOff) else { continue }
      failed += 1
      bench.store.failsWrite = { _ in false }
      if try await bench.jar != before { damaged += 1 }
    }
    #expect(failed > 0)
    #expect((damaged > 0) == (behaviour == .expo171 && isForGood), "\(damaged) of \(failed)")
  }

  // R-HAND-18: what is said to anybody holds nothing that opens a session.
  @Test(arguments: HandOffProfile.allCases)
  func `prints no secret`(_ profile: HandOffProfile) async throws {
    for failing in [-1, 0, 1, 2] {
      let bench = HandOffBench()
      bench.store.failsWrite = { $0 == failing }
      let outcome = bench.signIn(bench.launch(profile).handOff)
      let secrets = bench.server.state.sessions.map(\.token) + bench.person.callbacks
      for line in bench.console.lines + ["\(outcome as Any)"] {
        #expect(!secrets.contains { line.contains($0) }, "\(line)")
      }
    }
  }
}

extension HandOffBench {
  /// More than one item holds, and nothing that would have to be escaped.
  static let longValue = String(repeating: "0123456789abcdefghijklmnopqrstuvwxyz", count: 150)
}
