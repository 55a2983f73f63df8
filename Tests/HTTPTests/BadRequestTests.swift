import HTTP
import Linux
import Testing

private let end = "Connection: close\r\n\r\n"

@Suite(.timeLimit(.minutes(5))) struct `A request that is none` {
  /// What is wrong, what is sent, and the status that refuses it.
  static let requests: [(what: String, text: String, status: Int)] = [
    ("words", "these are words, none of them a verb\r\n\r\n", 400),
    ("no version", "GET /x\r\n\r\n", 400),
    ("another protocol", "GET /x FTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0 a b c d e f g\r\n\r\n", 400),
    ("a header without a colon", "GET /x HTTP/1.1\r\nHost x\r\n\r\n", 400),
    ("a header that goes on before it began", "GET /x HTTP/1.1\r\n more\r\n\r\n", 400),
    ("a length below zero", "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    ("a length of letters", "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n", 400),
    (
      "two lengths",
      "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", 400
    ),
    (
      "a length and chunks",
      "POST /x HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
    ),
    (
      "another coding", "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501
    ),
    (
      "a chunk without a size",
      "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n", 413
    ),
    ("an unknown method", "BREW /x HTTP/1.1\r\nHost: x\r\n\(end)", 501),
    ("a tunnel", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\(end)", 501),
    ("a letter that is not ASCII", "GET /\u{E9} HTTP/1.1\r\nHost: x\r\n\(end)", 400),
    (
      "an expectation that nobody knows",
      "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: tea\r\n\(end)", 417
    ),
    (
      "a header line that is too long",
      "GET /x HTTP/1.1\r\nX: \(String(repeating: "a", count: 70_000))\r\n\r\n", 400
    ),
    (
      "too many header lines",
      "GET /x HTTP/1.1\r\n\(String(repeating: "X: a\r\n", count: 20_000))\r\n", 400
    ),
    ("a target that is too long", "GET /\(String(repeating: "a", count: 70_000))", 400),
  ]

  @Test func `is refused with the reason, the connection ends, and the next one is served`() throws
  {
    let served = try Served { $0.patience = .seconds(1) }
    for request in Self.requests {
      let reply = try served.reply(to: request.text)
      #expect(reply.hasPrefix("HTTP/1.1 \(request.status) "), "\(request.what): \(reply)")
    }
    let reply = try served.reply(to: "GET /x HTTP/1.1\r\nHost: x\r\n\(end)")
    #expect(reply.hasPrefix("HTTP/1.1 200 "))
    // Each is reported once, whoever refused it.
    let statuses = try served.exchanges(Self.requests.count + 1).map(\.status)
    #expect(statuses == Self.requests.map(\.status) + [200])
  }

  @Test func `and ends in the middle leaves nothing behind`() throws {
    let served = try Served()
    let whole = "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"
    for count in 0..<whole.utf8.count {
      let client = try served.connect()
      try client.descriptor.write(whole.utf8.prefix(count))
      client.endWriting()
      #expect(try client.readAll().isEmpty, "after \(count) bytes")
    }
  }

  @Test func `of random bytes ends with a refusal or nothing, never with a reply`() throws {
    let served = try Served()
    var state: UInt64 = 42
    for round in 0..<200 {
      let bytes = (0..<200).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      }
      let client = try served.connect()
      try client.descriptor.write(bytes + Array("\r\n\r\n".utf8))
      client.endWriting()
      let reply = try client.readAll()
      #expect(reply.isEmpty || reply.hasPrefix("HTTP/1.1 4"), "seed 42, round \(round): \(reply)")
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A body` {
  private let limit = 1 << 20

  private func post(_ count: Int, chunked: Bool, expects: Bool = false) -> String {
    let body = String(repeating: "b", count: count)
    let head = "POST /x HTTP/1.1\r\nHost: x\r\n" + (expects ? "Expect: 100-continue\r\n" : "")
    guard chunked else { return head + "Content-Length: \(count)\r\n\(end)" + body }
    let size = String(count, radix: 16)
    return head + "Transfer-Encoding: chunked\r\n\(end)\(size)\r\n\(body)\r\n0\r\n\r\n"
  }

  @Test(arguments: [false, true])
  func `of just the limit is taken`(chunked: Bool) throws {
    let reply = try Served().reply(to: post(limit, chunked: chunked))
    #expect(reply.hasPrefix("HTTP/1.1 200 ") && reply.utf8.count > limit)
  }

  @Test(arguments: [1, 8 << 20])
  func `over the limit is refused, and the client can read it`(excess: Int) throws {
    let served = try Served()
    for chunked in [false, true] {
      let reply = try served.reply(to: post(limit + excess, chunked: chunked))
      #expect(reply.hasPrefix("HTTP/1.1 413 "), "chunked \(chunked): \(reply.prefix(80))")
    }
  }

  @Test func `over the limit that waits for a word is never asked for`() throws {
    let client = try Served { $0.patience = .milliseconds(300) }.connect()
    try client.write(
      "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\nExpect: 100-continue\r\n\(end)")
    #expect(try !client.readAll().contains("100 Continue"))
  }
}
