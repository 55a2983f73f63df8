import Backend
import JSON
import Ports
import Testing

@Suite struct `A refusal of the GoTrue-like server` {
  // R-ERR-5, R-ERR-7
  @Test(arguments: ErrorRow.all)
  func `has the status and the code of its row`(row: ErrorRow) throws {
    let rig = GoTrueRig(row.settings)
    let reply = try row.provoke(rig)
    #expect(reply.status == row.status)
    #expect(reply.code == row.code.rawValue)
    #expect(reply["code"] == .text(row.code.rawValue))
    #expect(reply["message"]?.text?.isEmpty == false)
    #expect(reply.headers["X-Supabase-Api-Version"] == "2024-01-01")
    #expect(reply["msg"] == nil && reply["error_code"] == nil)
  }

  @Test(arguments: ErrorRow.all)
  func `has the older shape without the header of the version`(row: ErrorRow) throws {
    let rig = GoTrueRig(row.settings)
    rig.isVersioned = false
    let reply = try row.provoke(rig)
    #expect(reply["code"] == .integer(row.status))
    #expect(reply["error_code"] == .text(row.code.rawValue))
    #expect(reply["msg"]?.text?.isEmpty == false)
    #expect(reply.headers["X-Supabase-Api-Version"] == nil)
    #expect(reply["message"] == nil)
  }

  @Test func `has a row for every code`() {
    // They are told to a browser, and have tests of their own.
    let redirected: Set<ErrorCode> = [.badOAuthState, .badOAuthCallback, .flowStateAlreadyUsed]
    let covered = Set(ErrorRow.all.map(\.code))
    #expect(Set(ErrorCode.allCases).subtracting(covered) == redirected)
  }

  // R-ERR-7, R-PW-7
  @Test func `names the rules that a weak password breaks`() {
    let rig = GoTrueRig {
      $0.passwordLengthMin = 8
      $0.passwordCharacters = .lettersAndDigits
      $0.leakedPasswords = ["abc"]
    }
    let reply = rig.signUp(password: "abc")
    #expect(reply["weak_password"]?["reasons"] == ["length", "characters", "pwned"])
    #expect(rig.signUp(password: "abcdefg1")["weak_password"] == nil)
  }

  @Test func `is a plain 404 for an unknown route`() {
    let rig = GoTrueRig()
    for target in ["/nothing", "other/path", "/token/more", "api/v2/me"] {
      let reply = rig.post(target)
      #expect(reply.status == 404 && reply.json == "404 page not found", "\(target)")
    }
  }

  @Test func `names neither password nor token`() throws {
    for row in ErrorRow.all {
      let rig = GoTrueRig(row.settings)
      let text = try JSONWriter.text(of: row.provoke(rig).json)
      let secrets = rig.server.state.refreshTokens.map(\.token) + [GoTrueRig.password]
      #expect(!secrets.contains { text.contains($0) }, "\(row.testDescription)")
    }
  }
}
