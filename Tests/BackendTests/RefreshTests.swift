import Backend
import JSON
import Ports
import Testing

@Suite struct `Refresh tokens` {
  /// A moment of a history: what the server and the oracle know, and the tokens made so far.
  private struct Moment {
    var state: GoTrueState
    var oracle: any RefreshOracle
    var tokens: [String]
    var seconds = 0
    var steps: [String] = []
  }

  /// Every history of four refreshes: any token made so far, at once or a while later.
  private func compare(
    _ version: RefreshTokenVersion, reuse: Int, rotates: Bool, _ oracle: any RefreshOracle
  ) throws -> Int {
    let rig = GoTrueRig {
      $0.refreshTokens = version
      $0.reuseSeconds = Int64(reuse)
      $0.rotatesRefreshTokens = rotates
    }
    try rig.addAccount()
    let startMs = rig.clock.nowMs
    let token = rig.signIn().refresh
    var open = [Moment(state: rig.server.state, oracle: oracle, tokens: [token])]
    var count = 0
    while let moment = open.popLast() {
      count += 1
      guard moment.steps.count < 4 else { continue }
      for shown in moment.tokens.indices {
        for wait in reuse == 0 ? [0, 1] : [0, 10, 11] {
          var next = moment
          next.seconds += wait
          next.steps.append("\(shown) after \(wait) s")
          rig.server.state = moment.state
          rig.clock.nowMs = startMs + Int64(next.seconds) * 1000
          step(&next, showing: shown, rig)
          open.append(next)
        }
      }
    }
    return count
  }

  private func step(_ moment: inout Moment, showing token: Int, _ rig: GoTrueRig) {
    let reply = rig.refresh(moment.tokens[token])
    switch moment.oracle.show(token, at: moment.seconds) {
    case .max?: #expect(reply.code == "refresh_token_not_found", "\(moment.steps)")
    case nil: #expect(reply.code == "refresh_token_already_used", "\(moment.steps)")
    case let number? where number == moment.tokens.count:
      #expect(reply.status == 200 && !moment.tokens.contains(reply.refresh), "\(moment.steps)")
      moment.tokens.append(reply.refresh)
    case let number?: #expect(reply.refresh == moment.tokens[number], "\(moment.steps)")
    }
    moment.state = rig.server.state
  }

  @Test(arguments: [0, 10], [true, false])
  func `of version 1 answer as the oracle in every short history`(
    reuse: Int, rotates: Bool
  ) throws {
    let count = try compare(
      .v1, reuse: reuse, rotates: rotates, ParentOracle(reuse: reuse, rotates: rotates))
    #expect(count > 250)
  }

  @Test(arguments: [0, 10], [true, false])
  func `of version 2 answer as the oracle in every short history`(
    reuse: Int, rotates: Bool
  ) throws {
    let count = try compare(
      .v2, reuse: reuse, rotates: rotates, CounterOracle(reuse: reuse, rotates: rotates))
    #expect(count > 250)
  }

  @Test func `of version 1 are told from those of version 2 by the oracle`() throws {
    // The twin: the wrong oracle must not fit, or the comparison sees nothing.
    var parents = ParentOracle(reuse: 0, rotates: true)
    var counters = CounterOracle(reuse: 0, rotates: true)
    let steps = [0, 1, 0, 0]
    #expect(steps.map { parents.show($0, at: 5) } != steps.map { counters.show($0, at: 5) })
  }

  @Test(arguments: RefreshTokenVersion.allCases)
  func `forgive one lost answer at any age, and no second one`(
    version: RefreshTokenVersion
  ) throws {
    let rig = GoTrueRig { $0.refreshTokens = version }
    try rig.addAccount()
    let first = rig.signIn().refresh
    let second = rig.refresh(first).refresh
    rig.advance(seconds: 30 * 86_400)
    #expect(rig.refresh(first).refresh == second)
    rig.refresh(second)
    #expect(rig.refresh(first).code == "refresh_token_already_used")
  }

  // The strict server of G6.
  @Test(arguments: RefreshTokenVersion.allCases)
  func `are not forgiven a lost answer by a strict server`(version: RefreshTokenVersion) throws {
    let rig = GoTrueRig {
      $0 = .strict
      $0.refreshTokens = version
    }
    try rig.addAccount()
    let first = rig.signIn().refresh
    rig.refresh(first)
    rig.advance(seconds: 1)
    #expect(rig.refresh(first).code == "refresh_token_already_used")
  }

  @Test func `of a user without a factor may stay at their level`() throws {
    let rig = GoTrueRig { $0.lowAALSeconds = 60 }
    try rig.addAccount()
    let token = rig.signIn().refresh
    rig.advance(seconds: 61)
    #expect(rig.refresh(token).status == 200)
  }

  @Test func `of version 1 leave the session when all are revoked`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let session = rig.signIn()
    let newest = rig.refresh(rig.refresh(session.refresh).refresh)
    rig.advance(seconds: 1)
    rig.refresh(session.refresh)
    rig.advance(seconds: 1)
    #expect(rig.refresh(newest.refresh).code == "refresh_token_already_used")
    #expect(rig.get("/user", bearer: newest.access).status == 200)
  }

  @Test func `of version 2 end with their session`() throws {
    let rig = GoTrueRig { $0.refreshTokens = .v2 }
    try rig.addAccount()
    let session = rig.signIn()
    let newest = rig.refresh(rig.refresh(session.refresh).refresh)
    rig.refresh(session.refresh)
    #expect(rig.get("/user", bearer: newest.access).code == "session_not_found")
    #expect(rig.refresh(newest.refresh).code == "refresh_token_not_found")
  }

  @Test func `of version 2 may always be shown again if the server is told so`() throws {
    let rig = GoTrueRig {
      $0.refreshTokens = .v2
      $0.alwaysAllowsReuse = true
    }
    try rig.addAccount()
    let first = rig.signIn().refresh
    let third = rig.refresh(rig.refresh(first).refresh).refresh
    #expect(rig.refresh(first).refresh == third)
  }

  // H-28
  @Test func `of version 2 are two behind when the answer to a factor is lost`() throws {
    for (version, code) in [
      (RefreshTokenVersion.v1, nil), (.v2, "refresh_token_already_used"),
    ] as [(RefreshTokenVersion, String?)] {
      let rig = GoTrueRig { $0.refreshTokens = version }
      try rig.addAccount()
      let session = rig.signIn()
      rig.server.faults.arm(ServerFault(.loseReply, on: "/factors", method: "POST"))
      let raised = try rig.raise(session.access).reply
      #expect(raised.status == 200)
      rig.advance(seconds: 60)
      #expect(rig.refresh(session.refresh).code == code, "\(version)")
    }
  }

  @Test func `of version 2 that somebody has changed are malformed`() throws {
    let rig = GoTrueRig { $0.refreshTokens = .v2 }
    try rig.addAccount()
    let token = rig.signIn().refresh
    var bytes = Array(token.utf8)
    for index in bytes.indices {
      let byte = bytes[index]
      bytes[index] = byte == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let reply = rig.refresh(String(decoding: bytes, as: UTF8.self))
      #expect(reply.code == "validation_failed", "\(index)")
      bytes[index] = byte
    }
    #expect(rig.refresh(token).status == 200)
  }

  @Test func `have their limits looked at only when they are shown`() throws {
    let rig = GoTrueRig { $0.sessionTimeboxSeconds = 60 }
    try rig.addAccount()
    let session = rig.signIn()
    rig.advance(seconds: 600)
    #expect(rig.get("/user", bearer: session.access).status == 200)
    #expect(rig.refresh(session.refresh).code == "session_expired")
  }

  @Test func `are not asked for by an empty request`() {
    let reply = GoTrueRig().post("/token?grant_type=refresh_token")
    #expect(reply.status == 400 && reply["error"] == "invalid_request")
  }
}
