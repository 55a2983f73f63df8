import Backend
import Chaos
import JSON
import Ports
import Testing

@Suite struct `The fault grammar of servers` {
  private static let email = "ada@example.com"

  private static func server() throws -> GoTrueServer {
    let server = GoTrueServer(
      clock: FixedTime(), entropy: SeededEntropy(seed: 1, stream: "server"))
    try server.addAccount(email, password: "correct horse")
    return server
  }

  @Test func `has the same words as the servers`() {
    let words = FaultKind.allCases.filter(\.isOnServer).map(\.rawValue)
    #expect(Set(words) == Set(ServerFault.Kind.allCases.map(\.rawValue)))
    #expect(FaultKind.onPhones.count + words.count == FaultKind.allCases.count)
  }

  /// What `lab inject` and the members of a step say is the same fault.
  @Test func `reads what it has written`() throws {
    let values: [FaultParameter: String] = [
      .by: "31000ms", .path: "/user", .method: "PUT", .user: "bob@example.com", .status: "503",
      .code: "conflict", .rotations: "2", .address: "10.1.1.1",
    ]
    for kind in FaultKind.allCases where kind.isOnServer {
      for (at, isPlaced) in [("3", true), ("1", true), ("1", false)] {
        var given: [String: String] = [:]
        for parameter in kind.parameters where isPlaced || kind.fallback(parameter) == nil {
          given[parameter.rawValue] = values[parameter]
        }
        let fault = try FaultRequest(
          kind.rawValue, at: at, times: isPlaced ? 2 : 1, parameters: given)
        let text = JSONWriter.text(of: .object(JSONObject(fault.members)))
        let node = try JSONReader.read(Array(text.utf8))
        var reader = try node.object("a fault")
        let word = try reader.required("fault")
        #expect(try FaultRequest(word.text(), word, &reader) == fault, "\(text)")
        try reader.finish()
        #expect(fault.serverFault?.effect.kind.rawValue == kind.rawValue)
        #expect(fault.serverFault?.occurrence == Int(at) && fault.armed() == nil)
      }
    }
  }

  @Test(arguments: [
    ("lose-reply", "lose-reply on any request"),
    ("lose-reply@2", "lose-reply on any request, time 2"),
    ("revoke-session", "revoke-session"), ("revoke-session@1", "revoke-session on any request"),
    ("refuse", "refuse on any request"),
  ])
  func `knows what waits for a request and what happens at once`(text: String, words: String) throws
  {
    #expect(try FaultRequest(text).description == words)
  }

  @Test func `lets a deed wait for a request that it names`() throws {
    let fault = try FaultRequest("delete-user", parameters: ["path": "/user", "method": "get"])
    #expect(fault.serverFault == ServerFault(.elsewhere(.deleteUser), on: "/user", method: "GET"))
    #expect(try FaultRequest("delete-user").serverFault == nil)
  }

  @Test(
    arguments: [
      ("lose-replay", [:], "no fault 'lose-replay'; nearest: lose-reply"),
      ("lose-reply@K1", [:], "'K1' is no request, counted from 1, such as 2"),
      ("lose-reply@0", [:], "'0' is no request, counted from 1, such as 2"),
      ("kill@2", [:], "no point '2'"),
      (
        "late-reply", [:],
        "late-reply needs 'by': how long, such as 200ms; of a clock how far, such as +1h"
      ),
      ("late-reply", ["by": "2h"], "by '2h' is no delay up to 1h, such as 31s"),
      ("refuse", ["status": "200"], "status '200' is no number from 400 to 599"),
      ("refuse", ["code": "conflikt"], "no error of a server 'conflikt'; nearest: conflict"),
      ("hang", ["path": "token"], "'token' is no path of a request, such as /token"),
      ("hang", ["method": "PSOT"], "no method 'PSOT'; nearest: POST"),
      ("hang", ["user": "a"], "no value of hang 'user'"),
    ] as [(String, [String: String], String)])
  func `explains what is wrong`(text: String, values: [String: String], reason: String) {
    #expect { try FaultRequest(text, parameters: values) } throws: { error in
      (error as? FaultGrammarError)?.reason == reason
    }
  }

  @Test(
    arguments: [
      ("hang", ["path": "/tokn"], "no request to '/tokn'; nearest: /token"),
      ("hang", ["path": "/token", "method": "GET"], "no GET to '/token'"),
      ("hang", ["path": "/lab/outbox"], "no request to '/lab/outbox'"),
      (
        "ban-user", ["user": "adda@example.com"], "no account 'adda@example.com'; nearest: \(email)"
      ),
      ("kill", [:], "kill happens to a phone, not to a server"),
    ] as [(String, [String: String], String)])
  func `refuses what a server does not know, and arms nothing`(
    text: String, values: [String: String], reason: String
  ) throws {
    let server = try Self.server()
    #expect { try FaultRequest(text, parameters: values).inject(into: server) } throws: { error in
      (error as? FaultGrammarError)?.reason == reason
    }
    #expect(server.faults.entries.isEmpty && server.accounts == [Self.email])
  }

  @Test func `has a deed happen at once, and says what is gone and what remains`() throws {
    let server = try Self.server()
    try server.addAccount("bob@example.com", password: "correct horse")
    let report = try FaultRequest("delete-user", parameters: ["user": Self.email])
      .inject(into: server)
    #expect(report.status == "done" && report.removed.map(\.name) == [Self.email])
    #expect(report.remains.map(\.name) == ["bob@example.com"])
    try FaultRequest("delete-user").inject(into: server)
    // Nobody is left: that would prove nothing.
    #expect(throws: FaultGrammarError.self) { try FaultRequest("delete-user").inject(into: server) }
  }

  @Test func `moves a server's clock at once, or at a request`() throws {
    let server = try Self.server()
    let start = server.nowMs
    try FaultRequest("server-clock", parameters: ["by": "-1h"]).inject(into: server)
    #expect(server.nowMs == start - 3_600_000)
    try FaultRequest("server-clock@2", parameters: ["by": "+2h"]).inject(into: server)
    for expected in [start - 3_600_000, start + 3_600_000] {
      _ = server.answer(HTTPRequest("GET", "/auth/v1/health"), from: "10.0.0.1")
      #expect(server.nowMs == expected)
    }
  }
}

private final class FixedTime: WallClock { let nowMs: Int64 = 1_800_000_000_000 }

@Suite struct `Faults over HTTP` {
  private let desk: FaultDesk
  private let server: GoTrueServer

  init() throws {
    server = GoTrueServer(clock: FixedTime(), entropy: SeededEntropy(seed: 1, stream: "server"))
    desk = FaultDesk(server)
  }

  private func send(
    _ method: String, _ target: String, _ body: String = ""
  ) throws -> (status: Int, json: JSONValue?) {
    let request = HTTPRequest(method, target, body: Array(body.utf8))
    let response = desk.answer(request, from: "10.0.0.1").response
    return (response.status, try response.body.isEmpty ? nil : JSONReader.read(response.body).value)
  }

  @Test func `are armed, reported and taken back`() throws {
    let armed = try send("POST", "/lab/faults", #"{"fault":"hang","path":"/verify"}"#)
    #expect(armed.status == 200 && armed.json?["status"] == "armed" && armed.json?["id"] == 1)
    _ = try send(
      "POST", "/lab/faults", #"{"fault":"error-reply","path":"/health","status":503,"times":2}"#)
    #expect(try send("GET", "/auth/v1/health").status == 503)
    #expect(
      try send("GET", "/lab/faults").json == [
        [
          "id": 1, "fault": "hang", "path": "/verify", "status": "armed", "fired": 0,
          "words": "hang on /verify",
        ],
        [
          "id": 2, "fault": "error-reply", "path": "/health", "fired": 1,
          "status": "fired 1 of 2, still armed", "words": "error-reply on /health, 2 in a row",
        ],
      ])
    #expect(try send("DELETE", "/lab/faults/2").json?["fired"] == 1)
    #expect(try send("DELETE", "/lab/faults/2").status == 404)
    #expect(try send("GET", "/auth/v1/health").status == 200)
    #expect(try send("DELETE", "/lab/faults").status == 204)
    #expect(try send("GET", "/lab/faults").json == [])
  }

  @Test func `that are unknown are told what there is`() throws {
    let reply = try send("POST", "/lab/faults", #"{"fault":"loseReply"}"#)
    #expect(reply.status == 400)
    #expect(reply.json?["error"] == "1:11: no fault 'loseReply'; nearest: lose-reply")
    #expect(reply.json?["allowed"]?.text?.split(separator: " ").contains("revoke-session") == true)
  }

  @Test(arguments: [
    "", "{", "[]", "{}", #"{"fault":7}"#, #"{"fault":"hang","at":0}"#,
    #"{"fault":"hang","ms":5}"#, #"{"fault":"hang","path":"/tokn"}"#, #"{"fault":"kill"}"#,
  ])
  func `that are written wrongly are refused`(body: String) throws {
    let reply = try send("POST", "/lab/faults", body)
    #expect(reply.status == 400 && reply.json?["error"]?.text != nil)
    #expect(server.faults.entries.isEmpty)
  }

  @Test func `leave every other request to the server`() throws {
    #expect(try send("GET", "/lab/outbox").json == [])
    #expect(desk.answer(HTTPRequest("GET", "/lab/faultsx"), from: "").response.status == 404)
    #expect(try send("PUT", "/lab/faults").status == 405)
  }
}
