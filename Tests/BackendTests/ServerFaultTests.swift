import Backend
import JSON
import Ports
import Testing

@Suite struct `A fault of the server` {
  private func rig(
    _ effect: ServerFault.Effect, on path: String = "/token?grant_type=refresh_token",
    occurrence: Int = 1, times: Int = 1
  ) throws -> (rig: GoTrueRig, session: GoTrueRig.Reply) {
    let rig = GoTrueRig { $0.refreshTokens = .v2 }
    try rig.addAccount()
    let session = rig.signIn()
    rig.server.faults.arm(
      ServerFault(effect, on: path, occurrence: occurrence, times: times))
    return (rig, session)
  }

  private func counter(_ rig: GoTrueRig) -> Int64? { rig.server.state.sessions.first?.counter }

  @Test func `meets the n-th request that fits, so many times, and says so`() throws {
    let (rig, session) = try rig(.refuse(status: 429, code: nil), occurrence: 2, times: 2)
    rig.signIn()
    #expect(rig.server.faults.entries.map(\.fired) == [0])
    var token = session.refresh
    var results: [Int] = []
    for _ in 0..<4 {
      let reply = rig.refresh(token)
      results.append(reply.status)
      if reply.status == 200 { token = reply.refresh }
    }
    #expect(results == [200, 429, 429, 200])
    #expect(rig.server.faults.entries.map(\.fired) == [2])
  }

  @Test(arguments: ["/token", "/auth/v1/token", "/auth/v1/token?grant_type=refresh_token"])
  func `is found by a path with the server's base, too`(path: String) throws {
    let (rig, session) = try rig(.refuse(status: 429, code: nil), on: path)
    #expect(rig.refresh(session.refresh).status == 429)
  }

  @Test func `before the request leaves everything as it was`() throws {
    for effect in [ServerFault.Effect.loseRequest, .refuse(status: 500, code: nil)] {
      let (rig, session) = try rig(effect)
      let state = rig.server.state
      let reply = rig.refresh(session.refresh)
      #expect(rig.server.state == state, "\(effect)")
      #expect(reply.delivery == (effect == .loseRequest ? .cut : .now))
    }
  }

  @Test func `after the request leaves it done`() throws {
    let effects: [(ServerFault.Effect, ServerReply.Delivery)] = [
      (.loseReply, .cut), (.hang, .never), (.lateReply(ms: 31_000), .after(.seconds(31))),
      (.errorReply(status: 502), .now),
    ]
    for (effect, delivery) in effects {
      let (rig, session) = try rig(effect)
      let reply = rig.refresh(session.refresh)
      #expect(reply.delivery == delivery && counter(rig) == 1, "\(effect)")
      // G6: a server that forgives one generation gives the lost token again.
      #expect(rig.refresh(session.refresh).status == 200 && counter(rig) == 1, "\(effect)")
    }
  }

  @Test func `in the reply leaves its status`() throws {
    for effect in [
      ServerFault.Effect.htmlReply(status: nil), .emptyReply, .cutReply, .noVersion,
    ] {
      let (rig, session) = try rig(effect)
      let reply = rig.refresh(session.refresh)
      let isJSON = reply.json.object != nil
      #expect(reply.status == 200 && counter(rig) == 1, "\(effect)")
      #expect(isJSON == (effect == .noVersion), "\(effect)")
      let version = reply.headers["X-Supabase-Api-Version"]
      #expect((version == nil) == (effect == .noVersion), "\(effect)")
    }
  }

  @Test func `in the code of an error makes it a number or a text`() throws {
    for (isVersioned, effect, code) in [
      (true, .numberCode, 400), (false, .textCode, "refresh_token_not_found"),
    ] as [(Bool, ServerFault.Effect, JSONValue)] {
      let (rig, _) = try rig(effect)
      rig.isVersioned = isVersioned
      #expect(rig.refresh("abcdefghijkl")["code"] == code)
    }
  }

  @Test func `in the tokens makes them expired`() throws {
    let (rig, session) = try rig(.expiredTokens)
    let reply = rig.refresh(session.refresh)
    let expires = try #require(reply["expires_at"]?.integer)
    #expect(expires < rig.server.nowMs / 1000 && (reply["expires_in"]?.integer ?? 0) < 0)
    #expect(rig.get("/user", bearer: reply.access).code == "bad_jwt")
  }

  @Test func `in the clock moves the server's alone`() throws {
    let (rig, session) = try rig(.serverClock(ms: 7_200_000), on: "/user")
    #expect(rig.get("/user", bearer: session.access).code == "bad_jwt")
    #expect(rig.server.nowMs == rig.clock.nowMs + 7_200_000)
  }

  @Test func `elsewhere happens to the user of the request`() throws {
    let deeds: [(ServerFault.Deed, String)] = [
      (.revokeSession, "refresh_token_not_found"), (.deleteUser, "refresh_token_not_found"),
      (.banUser, "user_banned"), (.rotate(times: 2), "refresh_token_already_used"),
    ]
    for (deed, code) in deeds {
      let (rig, session) = try rig(.elsewhere(deed))
      #expect(rig.refresh(session.refresh).code == code, "\(deed)")
    }
    let (rig, session) = try rig(.elsewhere(.rotate(times: 1)))
    #expect(rig.refresh(session.refresh).status == 200)
  }

  // H-16
  @Test func `elsewhere adds and removes factors`() throws {
    let (rig, session) = try rig(.elsewhere(.addFactor), on: "/user")
    #expect(rig.get("/user", bearer: session.access)["factors"]?.list?.count == 1)
    #expect(rig.get("api/v1/me", bearer: session.access).code == "insufficient_aal")
    rig.server.faults.arm(ServerFault(.elsewhere(.removeFactors), on: "/me"))
    #expect(rig.get("api/v1/me", bearer: session.access).status == 200)
  }

  @Test func `elsewhere needs a user, and is spent without one`() throws {
    let (rig, _) = try rig(.elsewhere(.revokeSession))
    #expect(rig.refresh("abcdefghijkl").code == "refresh_token_not_found")
    #expect(rig.server.state.sessions.count == 1)
    #expect(rig.server.faults.entries.map(\.fired) == [1])
  }

  @Test func `has not fired where another has decided the reply`() throws {
    let refusal = ServerFault.Effect.refuse(status: 403, code: nil)
    for (effects, fired) in [
      ([refusal, .refuse(status: 429, code: nil)], [1, 0]), ([.cutReply, .loseReply], [0, 1]),
      ([.htmlReply(status: nil), .loseRequest], [0, 1]), ([.numberCode, .hang], [0, 1]),
      ([.expiredTokens, refusal], [0, 1]), ([refusal, .serverClock(ms: 1)], [1, 1]),
    ] as [([ServerFault.Effect], [Int])] {
      let rig = GoTrueRig()
      for effect in effects { rig.server.faults.arm(ServerFault(effect, on: "/token")) }
      rig.refresh("abcdefghijkl")
      #expect(rig.server.faults.entries.map(\.fired) == fired, "\(effects)")
      #expect(rig.server.faults.entries.allSatisfy { $0.hasMet && !$0.isArmed }, "\(effects)")
    }
  }

  @Test func `in the code of an error has not fired where there is no error`() throws {
    let (rig, session) = try rig(.numberCode)
    #expect(rig.refresh(session.refresh).status == 200)
    #expect(rig.server.faults.entries.map(\.fired) == [0])
  }

  // A captive portal, in either order, and as one fault.
  @Test func `in the body makes a page of a refusal, too`() throws {
    let refusal = ServerFault.Effect.refuse(status: 403, code: nil)
    let page = ServerFault.Effect.htmlReply(status: nil)
    for effects in [[page, refusal], [refusal, page], [.htmlReply(status: 403)]] {
      let (rig, session) = try rig(effects[0])
      for effect in effects.dropFirst() { rig.server.faults.arm(ServerFault(effect)) }
      let reply = rig.refresh(session.refresh)
      #expect(reply.status == 403 && reply.json.object == nil, "\(effects)")
      #expect(reply.headers["Content-Type"] == "text/html" && counter(rig) == 0, "\(effects)")
      #expect(rig.server.faults.entries.allSatisfy { $0.fired == 1 }, "\(effects)")
    }
    let (rig, session) = try rig(.htmlReply(status: nil))
    rig.server.faults.arm(ServerFault(.errorReply(status: 502)))
    let reply = rig.refresh(session.refresh)
    #expect(reply.status == 502 && reply.json.object == nil && counter(rig) == 1)
  }

  @Test func `meets no request for those who test`() throws {
    let rig = GoTrueRig()
    rig.server.faults.arm(ServerFault(.refuse(status: 429, code: nil)))
    #expect(rig.get("lab/outbox").status == 200)
    #expect(rig.get("/health").status == 429)
    #expect(rig.get("/health").status == 200)
  }

  @Test func `is found by a path with an id, and without`() throws {
    for path in ["/factors/*/challenge", "/factors/7/challenge", nil] {
      let rig = GoTrueRig()
      rig.server.faults.arm(ServerFault(.refuse(status: 429, code: nil), on: path))
      #expect(rig.post("/factors/7/challenge").status == 429, "\(path ?? "any")")
    }
  }

  @Test func `elsewhere happens at once, to one user or to all`() throws {
    for (user, left) in [("ada@example.com", ["bob@example.com"]), (nil, [])] {
      let rig = GoTrueRig()
      try rig.addAccount()
      try rig.addAccount("bob@example.com")
      rig.server.happen(.elsewhere(.deleteUser), to: user)
      #expect(rig.server.accounts == left)
    }
  }

  @Test func `at once takes what it names and nothing else`() throws {
    let rig = GoTrueRig()
    try rig.addAccount()
    let session = rig.signIn()
    _ = try rig.raise(session.access)
    let kinds = { rig.server.holdings.map(\.kind) }
    #expect(kinds() == ["account", "session", "factor"])
    rig.server.happen(.elsewhere(.removeFactors), to: nil)
    #expect(kinds() == ["account", "session"])
    rig.server.happen(.elsewhere(.rotate(times: 2)), to: nil)
    #expect(rig.server.holdings.last?.note == "refreshed 3 times")
    rig.server.happen(.elsewhere(.revokeSession), to: nil)
    #expect(kinds() == ["account"])
  }

  @Test func `serves each route that it names, and no other`() {
    for route in GoTrueServer.routes {
      let method = String(route.prefix { $0 != " " })
      let path = String(route.dropFirst(method.count + 1).replacing("*", with: "7"))
      #expect(GoTrueServer.serves(path, method: method), "\(route)")
      #expect(!GoTrueServer.serves("\(path)/x", method: method), "\(route)")
    }
    #expect(GoTrueServer.serves("/auth/v1/token?grant_type=password", method: nil))
    #expect(!GoTrueServer.serves("/token", method: "GET"))
  }
}
