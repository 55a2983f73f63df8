import Backend
import JSON
import Ports
import Testing
import Wire

@Suite struct `The state of the GoTrue-like server` {
  /// A server in which something of each kind has happened.
  private func busyRig() throws -> GoTrueRig {
    let rig = GoTrueRig { $0.limitsAddresses = true }
    rig.signUp("new@example.com")
    try rig.addAccount()
    _ = try rig.raise(rig.signIn().access)
    _ = rig.enrol(rig.signIn().access, name: "second")
    _ = rig.server.invite("new@example.com", to: "engines")
    _ = try rig.oauthRedirect()
    rig.server.faults.arm(ServerFault(.serverClock(ms: 5), on: "/health"))
    _ = rig.get("/health")
    return rig
  }

  @Test func `is one document, and the same again from it`() throws {
    let state = try busyRig().server.state
    let text = JSONWriter.text(of: state.stored)
    let read = try GoTrueState(stored: JSONReader.read(text))
    #expect(read == state)
    #expect(JSONWriter.text(of: read.stored) == text)
  }

  @Test func `goes on in another server`() throws {
    let rig = try busyRig()
    let session = rig.signIn()
    let other = GoTrueRig(seed: 9)
    other.server.state = try GoTrueState(
      stored: JSONReader.read(JSONWriter.bytes(of: rig.server.state.stored)))
    #expect(other.get("/user", bearer: session.access).status == 200)
    #expect(other.refresh(session.refresh).status == 200)
    let code = try rig.mail(to: "new@example.com").code
    #expect(other.verify("signup", code, email: "new@example.com").status == 200)
  }

  @Test func `with an unknown, a missing or a wrong member is refused`() throws {
    let stored = try busyRig().server.state.stored
    let object = try #require(stored.object)
    for change in [
      { $0["other"] = 1 }, { $0["users"] = nil }, { $0["users"] = [["id": 5]] },
      { $0["sessions"] = [:] },
    ] as [(inout JSONObject) -> Void] {
      var changed = object
      change(&changed)
      let bytes = JSONWriter.bytes(of: .object(changed))
      #expect(throws: JSONError.self) { try GoTrueState(stored: JSONReader.read(bytes)) }
    }
  }

  @Test func `is described without its secrets`() throws {
    let state = try busyRig().server.state
    #expect("\(state)" == "3 users, 2 sessions, 1 mails")
    let rows: [any StoredRecord] = state.outbox + state.refreshTokens + state.codes + state.factors
    let words = Set(rows.map { "\($0)" })
    #expect(words == ["a Mail", "a RefreshToken", "a OneTimeCode", "a Factor"])
  }

  @Test func `is the same for the same seed and requests`() throws {
    #expect(try busyRig().server.state == busyRig().server.state)
    #expect(GoTrueRig(seed: 1).server.state != GoTrueRig(seed: 2).server.state)
  }
}

@Suite struct `Tools of the servers` {
  @Test func `read and write queries`() {
    let query = FormQuery(lenient: "a=1&b=two+words&c=%C3%A9%26&d&e=%zz&=x&a=2")
    #expect(query["a"] == "1" && query["b"] == "two words" && query["c"] == "é&")
    #expect(query["d"] == "" && query["e"] == "%zz" && query["f"] == nil)
    #expect(FormQuery(["a b": "c&d", "e": "~é"]).text == "a+b=c%26d&e=%7E%C3%A9")
    #expect(FormQuery(["a": "1"]).added(to: "x://y?b=2#z") == "x://y?b=2&a=1#z")
    #expect(FormQuery(["a": "1"]).added(to: "x://y#z") == "x://y?a=1#z")
  }

  @Test func `make identifiers that are UUIDs of version 4`() {
    let entropy = SeededEntropy(seed: 3, stream: "ids")
    for _ in 0..<100 {
      let id = Identifier.uuid(entropy)
      #expect(Identifier.isUUID(id) && id.dropFirst(14).first == "4", "\(id)")
    }
    for text in ["", "no", "00000000-0000-4000-8000-00000000000g", "00000000-0000-4000-8000"] {
      #expect(!Identifier.isUUID(text), "\(text)")
    }
  }

  @Test func `draw each letter about as often as the others`() {
    let entropy = SeededEntropy(seed: 4, stream: "letters")
    let text = Identifier.text(10_000, of: "0123456789", entropy)
    for digit in "0123456789" {
      let count = text.count { $0 == digit }
      #expect((900...1100).contains(count), "\(digit): \(count)")
    }
  }

  @Test func `fill their buckets exactly, whatever the clock does`() {
    let limit = RateLimit(count: 3, windowMs: 1000, burst: 2)
    var bucket = RateBucket("x", limit, at: 0)
    // The last moments: a clock that goes back brings nothing, and a long wait no more than two.
    let moments: [Int64] = [0, 0, 0, 333, 334, 334, 100, 1_000_000, 1_000_000, 1_000_000]
    let results = moments.map { bucket.take(limit, at: $0) }
    let taken: [Int64] = [0, 0, 334, 1_000_000, 1_000_000]
    #expect(zip(moments, results).filter(\.1).map(\.0) == taken)
  }

  @Test func `take no token whose header or signature is another`() throws {
    let key = Array("key".utf8)
    var claims = JSONObject()
    claims["sub"] = "1"
    let token = try SignedToken.make(claims, key: key)
    #expect(try SignedToken.claims(of: token, key: key) == claims)
    #expect(try SignedToken.claims(of: token, key: Array("other".utf8)) == nil)
    let parts = token.split(separator: ".")
    // {"alg":"none"}
    for text in ["eyJhbGciOiJub25lIn0.\(parts[1]).", "\(parts[0]).\(parts[1])", "a.b.c.d", ""] {
      #expect(try SignedToken.claims(of: text, key: key) == nil, "\(text)")
    }
  }
}
