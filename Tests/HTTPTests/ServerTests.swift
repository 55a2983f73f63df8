import HTTP
import Linux
import Testing

private let end = "Connection: close\r\n\r\n"

@Suite(.timeLimit(.minutes(5))) struct `A server on loopback` {
  private func body(_ reply: String) -> Substring {
    reply.firstRange(of: "\r\n\r\n").map { reply[$0.upperBound...] } ?? ""
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
  func `hands a request over and its reply back`(method: String) throws {
    let served = try Served()
    let reply = try served.reply(
      to: "\(method) /a%20b?c=d HTTP/1.1\r\nHost: x\r\nX-Echo: 1\r\nX-Echo: 2\r\n\(end)")
    #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(reply.contains("X-Echo: 1\r\nX-Echo: 2\r\n"))
    #expect(body(reply) == "\(method) /a%20b?c=d from 127.0.0.1: ")
  }

  @Test func `tells HEAD the length of what GET gets, and no more`() throws {
    let reply = try Served().reply(to: "HEAD /x HTTP/1.1\r\nHost: x\r\n\(end)")
    #expect(reply.contains("Content-Length: \("HEAD /x from 127.0.0.1: ".count)\r\n"))
    #expect(body(reply).isEmpty)
  }

  @Test func `sends no body with 204`() throws {
    let reply = try Served().reply(to: "GET /empty HTTP/1.1\r\nHost: x\r\n\(end)")
    #expect(reply.hasPrefix("HTTP/1.1 204 No Content\r\n"))
    #expect(body(reply).isEmpty && !reply.contains("Content-Length"))
  }

  @Test func `listens on IPv6, too`() throws {
    let served = try Served(.v6)
    #expect(served.address.url.hasPrefix("http://[::1]:"))
    let reply = try served.reply(to: "GET /x HTTP/1.1\r\nHost: x\r\n\(end)")
    #expect(body(reply) == "GET /x from ::1: ")
  }

  @Test func `takes a body in chunks, with a trailer`() throws {
    let reply = try Served().reply(
      to: "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\(end)"
        + "3\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Trailer: y\r\n\r\n")
    #expect(body(reply) == "POST /x from 127.0.0.1: abc0123456789")
  }

  @Test func `keeps a connection for the next request`() throws {
    let client = try Served().connect()
    for number in 1...3 {
      try client.write("POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
      #expect(try client.read(until: "hi").contains("POST /\(number) from 127.0.0.1: hi"))
    }
  }

  @Test func `answers requests that come in one piece, in their order`() throws {
    let reply = try Served().reply(
      to: "GET /late HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\(end)")
    let late = try #require(reply.firstRange(of: "\r\n\r\nlate"))
    let second = try #require(reply.firstRange(of: "GET /second from"))
    #expect(late.upperBound < second.lowerBound)
  }

  @Test func `asks a client that waits for its word to go on`() throws {
    let client = try Served().connect()
    try client.write(
      "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\(end)")
    #expect(try client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try client.write("abc")
    #expect(body(try client.readAll()).hasSuffix(": abc"))
  }

  @Test func `takes many header lines`() throws {
    let lines = (0..<1000).map { "X-Line-\($0): some value\r\n" }.joined()
    let reply = try Served().reply(to: "GET /x HTTP/1.1\r\nHost: x\r\n\(lines)\(end)")
    #expect(reply.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `sends a reply that is larger than any buffer`() throws {
    let reply = try Served().reply(to: "GET /big HTTP/1.1\r\nHost: x\r\n\(end)")
    #expect(body(reply).utf8.count == 8 << 20)
  }

  @Test func `never lets a service write a header line that it did not mean`() throws {
    let reply = try Served().reply(to: "GET /broken HTTP/1.1\r\nHost: x\r\n\(end)")
    #expect(reply.hasPrefix("HTTP/1.1 500 ") && !reply.contains("stolen"))
  }

  @Test func `reports a request without its query, and one that got no reply without a status`()
    throws
  {
    let served = try Served()
    _ = try served.reply(to: "GET /seen?token=secret HTTP/1.1\r\nHost: x\r\n\(end)")
    _ = try served.reply(to: "GET /cut HTTP/1.1\r\nHost: x\r\n\(end)")
    let exchanges = try served.exchanges(2)
    #expect(exchanges.map(\.path) == ["/seen", "/cut"])
    #expect(exchanges.map(\.status) == [200, nil])
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A reply that the service wants` {
  @Test func `late comes late, and others do not wait for it`() throws {
    let served = try Served()
    let late = try served.connect()
    try late.write("GET /late HTTP/1.1\r\nHost: x\r\n\(end)")
    _ = try served.reply(to: "GET /other HTTP/1.1\r\nHost: x\r\n\(end)")
    #expect(try late.readAll().hasSuffix("\r\n\r\nlate"))
    let exchanges = try served.exchanges(2)
    #expect(exchanges.map(\.path) == ["/other", "/late"])
    #expect(exchanges[1].duration >= .milliseconds(200))
  }

  @Test func `cut ends the connection without a byte`() throws {
    #expect(try Served().reply(to: "GET /cut HTTP/1.1\r\nHost: x\r\n\(end)").isEmpty)
  }

  @Test func `never leaves the client waiting on an open connection`() throws {
    let served = try Served()
    let client = try served.connect()
    try client.write("GET /never HTTP/1.1\r\nHost: x\r\n\(end)")
    _ = try served.exchanges(1)
    #expect(try !client.descriptor.waitReadable(timeoutMs: 300))
  }
}
