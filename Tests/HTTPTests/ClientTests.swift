import HTTP
import Linux
import Machine
import Ports
import Testing

private typealias Outcome = Result<HTTPResponse, NetworkError>

/// An app's thread with its loop; `@unchecked Sendable`, because only that thread touches it.
private struct AppThread: @unchecked Sendable {
  let loop: EventLoop
  let address: LoopbackAddress

  /// Sends all requests at once, each from a task of its own, as an app does.
  func ask(
    _ requests: [HTTPRequest], within time: Duration = .seconds(20)
  ) -> [Outcome] {
    MainExecutor { loop.turn() }.run {
      await withTaskGroup(of: (Int, Outcome).self) { group in
        for (index, request) in requests.enumerated() {
          group.addTask { (index, await outcome(request, time)) }
        }
        var outcomes: [Int: Outcome] = [:]
        for await (index, outcome) in group { outcomes[index] = outcome }
        return requests.indices.compactMap { outcomes[$0] }
      }
    }
  }

  private func outcome(_ request: HTTPRequest, _ time: Duration) async -> Outcome {
    do throws(NetworkError) {
      return .success(try await HTTPClient(loop, address, timeLimit: time).send(request))
    } catch {
      return .failure(error)
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A client on loopback` {
  private func app(_ address: LoopbackAddress) throws -> AppThread {
    AppThread(loop: try EventLoop(), address: address)
  }

  private func text(_ outcome: Outcome?) throws -> String {
    String(decoding: try #require(outcome).get().body, as: UTF8.self)
  }

  @Test(arguments: [LoopbackAddress.Host.v4, .v6])
  func `sends what it is given and gets what is sent`(host: LoopbackAddress.Host) throws {
    let served = try Served(host)
    var headers = HTTPHeaders()
    headers.add("X-Echo", "1")
    headers.add("X-Echo", "2")
    let bytes = Array("body".utf8)
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
      let request = HTTPRequest(method, "/a?b=c", headers: headers, body: bytes)
      let outcome = try app(served.address).ask([request])[0]
      #expect(try text(outcome) == "\(method) /a?b=c from \(host.rawValue): body")
      #expect(try outcome.get().headers.values(of: "x-echo") == ["1", "2"])
    }
  }

  @Test func `has many requests under way at once, on one thread`() throws {
    let served = try Served()
    let requests = (0..<100).map { HTTPRequest("GET", $0.isMultiple(of: 2) ? "/late" : "/\($0)") }
    let outcomes = try app(served.address).ask(requests)
    #expect(try text(outcomes[98]) == "late")
    #expect(try text(outcomes[99]) == "GET /99 from 127.0.0.1: ")
    // Those that wait hold nobody up.
    #expect(try served.exchanges(100).prefix(50).allSatisfy { $0.path != "/late" })
  }

  @Test func `takes a large reply, and one without a body`() throws {
    let served = try Served()
    let outcomes = try app(served.address).ask([
      HTTPRequest("GET", "/big"), HTTPRequest("GET", "/empty"), HTTPRequest("HEAD", "/x"),
    ])
    #expect(try outcomes[0].get().body.count == 8 << 20)
    #expect(try outcomes[1].get().status == 204)
    #expect(try outcomes[2].get().body.isEmpty)
  }

  @Test func `says in JavaScript's words that nothing came`() throws {
    let served = try Served()
    let failed = NetworkError(message: "Network request failed")
    #expect(try app(served.address).ask([HTTPRequest("GET", "/cut")]) == [.failure(failed)])
    #expect(
      try app(served.address).ask([HTTPRequest("GET", "/never")], within: .milliseconds(200))
        == [.failure(NetworkError(message: "Network request timed out"))])
    served.askToStop()
    served.waitUntilStopped()
    #expect(try app(served.address).ask([HTTPRequest("GET", "/x")]) == [.failure(failed)])
  }

  @Test func `takes half a reply for none`() throws {
    let replies = [
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha", "HTTP/1.1 2", "nonsense\r\n",
      "",
    ]
    for reply in replies {
      let listener = try OneReply(reply)
      let outcomes = try app(listener.address).ask([HTTPRequest("GET", "/x")])
      #expect(outcomes == [.failure(NetworkError(message: "Network request failed"))], "\(reply)")
    }
  }

  @Test func `takes a reply in chunks, and one that ends with the connection`() throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunks = head + "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
    for reply in [chunks, "HTTP/1.0 200 OK\r\n\r\nabc"] {
      let listener = try OneReply(reply)
      #expect(try text(app(listener.address).ask([HTTPRequest("GET", "/x")])[0]) == "abc")
    }
  }

  @Test func `refuses to write a header line or a method that nobody meant`() throws {
    let served = try Served()
    var headers = HTTPHeaders()
    headers["X"] = "a\r\nY: b"
    let outcomes = try app(served.address).ask([
      HTTPRequest("GET", "/x", headers: headers), HTTPRequest("BREW", "/x"),
    ])
    #expect(outcomes.allSatisfy { $0 == .failure(NetworkError(message: "Network request failed")) })
    _ = try app(served.address).ask([HTTPRequest("GET", "/only")])
    #expect(try served.exchanges(1).map(\.path) == ["/only"])
  }

  @Test func `knows no address but this machine's`() {
    #expect(LoopbackAddress(url: "http://127.0.0.1:80/") == LoopbackAddress(.v4, port: 80))
    #expect(LoopbackAddress(url: "http://localhost:80") == LoopbackAddress(.v4, port: 80))
    #expect(LoopbackAddress(url: "http://[::1]:80")?.url == "http://[::1]:80")
    let others = [
      "http://10.0.0.1:80", "https://127.0.0.1:80", "http://127.0.0.1", "http://127.0.0.1:99999",
      "http://example.com:80", "http://127.0.0.1.example.com:80", "http://0.0.0.0:80",
      "127.0.0.1:80",
    ]
    for other in others { #expect(LoopbackAddress(url: other) == nil, "\(other)") }
  }
}
