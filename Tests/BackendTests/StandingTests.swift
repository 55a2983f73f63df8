import Backend
import JSON
import Ports
import Testing

/// What a refresh token is worth, against what the server then does with it.
@Suite struct `The standing of a refresh token` {
  private final class Clock: WallClock { var nowMs: Int64 = 1_790_000_000_000 }

  private static let owner = (email: "ada@example.com", password: "correct horse battery")

  /// A session that was refreshed a number of times, half an hour apart.
  private struct History {
    let server: GoTrueServer
    let clock = Clock()
    let session: String
    private(set) var tokens: [String]

    init(_ version: RefreshTokenVersion, isForgiving: Bool, refreshCount: Int) throws {
      var settings = GoTrueSettings.hosted
      settings.refreshTokens = version
      settings.forgivesLostReply = isForgiving
      server = GoTrueServer(
        settings, clock: clock, entropy: SeededEntropy(seed: 7, stream: "server"))
      try server.addAccount(owner.email, password: owner.password)
      let reply = try Self.ask(
        server, "password",
        ["email": .text(owner.email), "password": .text(owner.password)])
      tokens = [try #require(reply)]
      session = try #require(server.state.sessions.first?.id)
      for _ in 0..<refreshCount {
        clock.nowMs += 1_800_000
        let newest = try #require(tokens.last)
        tokens.append(try #require(try refresh(newest)))
      }
      clock.nowMs += 1_800_000
    }

    /// The token that the server gives for one; `nil` when it refuses.
    func refresh(_ token: String) throws -> String? {
      try Self.ask(server, "refresh_token", ["refresh_token": .text(token)])
    }

    private static func ask(
      _ server: GoTrueServer, _ grant: String, _ body: JSONValue
    ) throws -> String? {
      let response = server.answer(
        HTTPRequest(
          "POST", "/auth/v1/token?grant_type=\(grant)", body: JSONWriter.bytes(of: body)),
        from: "192.0.2.7"
      ).response
      return try JSONReader.read(response.body)["refresh_token"]?.value.text
    }
  }

  @Test(arguments: RefreshTokenVersion.allCases, [true, false])
  func `says before a refresh what comes of it`(
    version: RefreshTokenVersion, isForgiving: Bool
  ) throws {
    for shown in 0..<3 {
      let history = try History(version, isForgiving: isForgiving, refreshCount: 2)
      let token = history.tokens[shown]
      let standing = try history.server.standing(of: history.session) { $0 == token }
      let newest = try history.server.newestToken(of: history.session)
      #expect(newest == history.tokens[2])
      let given = try history.refresh(token)
      let comment: Comment = "\(version), forgiving \(isForgiving), token \(shown)"
      switch shown {
      case 2: #expect(standing == .newest && given != nil && given != newest, comment)
      case 1 where isForgiving: #expect(standing == .forgiven && given == newest, comment)
      default:
        #expect(standing == .ended && given == nil, comment)
        #expect(try history.server.newestToken(of: history.session) == nil, comment)
      }
    }
  }

  @Test(arguments: RefreshTokenVersion.allCases)
  func `forgives any token for ten seconds`(version: RefreshTokenVersion) throws {
    let history = try History(version, isForgiving: false, refreshCount: 1)
    history.clock.nowMs -= 1_795_000
    let standing = try history.server.standing(of: history.session) { $0 == history.tokens[0] }
    #expect(standing == .forgiven)
    #expect(try history.refresh(history.tokens[0]) != nil)
  }

  @Test func `is ended for a session that is not there`() throws {
    let history = try History(.v1, isForgiving: true, refreshCount: 0)
    history.server.revokeSessions(of: Self.owner.email)
    #expect(try history.server.standing(of: history.session) { _ in true } == .ended)
  }
}
