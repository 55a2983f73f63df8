import Foundation
import Ports
import Session
import TestSupport
import Testing

@Suite struct `The application's handlers` {
  private let transport = ScriptedTransport()

  private func launch(_ profile: AppProfile = .seed) -> (App, ApplicationAPI) {
    let auth = FakeAuth()
    auth.stored = makeSession("ada")
    let app = App(profile, auth: auth, at: .settings).start()
    return (app, ApplicationAPI(auth, transport, profile))
  }

  private var lines: [String] { transport.requests.map { "\($0.method) \($0.target)" } }

  // R-OTP-4, R-OTP-1, R-GUARD-3
  @Test func `send a code for a deletion, and delete by it`() {
    let (app, api) = launch()
    let flow = AccountDeletionFlow(app.context, api)
    transport.reply(200, #"{"success":true}"#)
    app.loop.perform { await flow.sendCode() }
    #expect(flow.isCodeSent)
    transport.reply(200, #"{"success":true}"#)
    flow.code.type("123456")
    app.loop.run()
    #expect(lines == ["POST /api/v1/otp/send", "POST /api/v1/me/delete"])
    #expect(transport.requests[1].body == Array(#"{"otp":"123456"}"#.utf8))
    #expect(transport.requests.allSatisfy { $0.headers["Authorization"] == "Bearer access-ada-1" })
    #expect(transport.requests.allSatisfy { $0.headers["Cookie"] == nil })
    #expect(app.provider.session == nil)
    #expect(app.navigator.log.map(\.author) == [.authGuard])
  }

  // R-OTP-4
  @Test func `keep the account when the code is wrong`() {
    let (app, api) = launch()
    let flow = AccountDeletionFlow(app.context, api)
    transport.reply(403, #"{"code":"otp_expired","message":"Token has expired or is invalid"}"#)
    flow.code.type("123456")
    app.loop.run()
    #expect(flow.deletion.alert?.key == "errors.otp_expired")
    #expect(app.provider.status == .authenticated)
  }

  // R-OTP-6, R-OTP-7
  @Test func `list invitations, and accept by id, without a token`() throws {
    let (app, api) = launch()
    let flow = InvitationsFlow(app.context, api)
    transport.reply(200, #"[{"id":"i1","workspace":"Lab","invite_token":"never-keep-me"}]"#)
    app.loop.perform { await flow.load() }
    let invitation = try #require(flow.invitations.first)
    #expect(invitation.id == "i1" && invitation.workspace == "Lab")
    #expect(!"\(invitation)".contains("never-keep-me"))
    transport.reply(200, "{}")
    app.loop.perform { await flow.accept(invitation) }
    #expect(lines == ["GET /api/v1/me/invitations", "POST /api/v1/me/invitations/i1/accept"])
    #expect(transport.requests[1].body.isEmpty)
    #expect(flow.invitations.isEmpty)
  }

  // R-OTP-7
  @Test func `refuse the invitation of another address`() throws {
    let (app, api) = launch()
    let flow = InvitationsFlow(app.context, api)
    transport.reply(200, #"[{"id":"i1","workspace":"Lab"}]"#)
    app.loop.perform { await flow.load() }
    transport.reply(404, #"{"code":"validation_failed","message":"No such invitation"}"#)
    let invitation = try #require(flow.invitations.first)
    app.loop.perform { await flow.accept(invitation) }
    #expect(flow.attempt.alert != nil && flow.invitations == [invitation])
  }

  // R-STATE-11, R-MFA-9, H-16
  @Test func `want a factor that the app does not know of, which leads hardened to the challenge`()
  {
    for profile in AppProfile.allCases {
      let (app, api) = launch(profile)
      #expect(app.provider.status == .authenticated)
      let flow = InvitationsFlow(app.context, api)
      app.auth.levels = ("aal1", "aal2")
      transport.reply(403, #"{"code":"insufficient_aal","message":"AAL2 required"}"#)
      app.loop.perform { await flow.load() }
      #expect(flow.attempt.alert?.key == "errors.insufficient_aal")
      #expect(flow.invitations.isEmpty)
      #expect(app.navigator.route == (profile == .seed ? .settings : .mfaChallenge(next: nil)))
    }
  }

  @Test func `are not called without a session, and may fail to reply`() {
    let (app, api) = launch()
    let flow = InvitationsFlow(app.context, api)
    transport.replies = [.failure(NetworkError(message: "Network request failed"))]
    app.loop.perform { await flow.load() }
    #expect(flow.attempt.alert?.key == "errors.Network request failed")
    transport.reply(502, "<html>")
    app.loop.perform { await flow.load() }
    #expect(flow.attempt.alert?.text == ErrorCatalogue.defaultText)
    app.auth.stored = nil
    app.loop.perform { await flow.load() }
    #expect(transport.requests.count == 2)
  }
}

@Suite struct `A mailed link` {
  // R-OTP-13
  @Test func `spends the code, which is refused then`() {
    let app = App(at: .signUp).start()
    app.auth.scripts["verifyOtp"] = [.fail(.refused("otp_expired", status: 403))]
    let flow = SignUpFlow(app.context)
    app.loop.perform {
      await flow.submit(
        Credentials(email: "ada@example.com", password: "correct horse"), repeated: "correct horse")
    }
    guard case .code(let step) = flow.step else {
      Issue.record("no code step")
      return
    }
    step.code.type("123456")
    app.loop.run()
    #expect(step.verification.alert?.key == "errors.otp_expired")
    #expect(step.offersSignIn)
  }

  // R-OTP-14, R-OTP-5, H-12
  @Test(arguments: AppProfile.allCases)
  func `makes a session that the app never sees`(profile: AppProfile) {
    let app = App(profile).start()
    let before = app.auth.journal
    // The browser confirms at the server; nothing of that reaches the app.
    app.loop.advance(by: .seconds(60))
    #expect(app.auth.journal == before)
    #expect(app.auth.stored == nil && app.storage.items.isEmpty)
    #expect(app.provider.status == .unauthenticated)
  }
}

@Suite struct `The screens` {
  // R-API-5
  @Test func `know the provider from their context, and build none`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appending(path: "Sources/Session/Flows")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    #expect(names.count > 10)
    for name in names {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      #expect(!text.contains("AuthProvider(") && !text.contains("AuthScope("), "\(name)")
    }
  }
}
