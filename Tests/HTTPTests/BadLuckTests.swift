import Glibc
import HTTP
import Linux
import Testing

private let end = "Connection: close\r\n\r\n"

/// One at a time: they open many descriptors.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `A server in bad luck` {
  /// How many connections the server holds: sockets with its port that some process has open.
  private func connectionCount(_ served: Served) throws -> Int {
    let port = String(served.address.port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - port.count) + port
    let table = String(decoding: try Files.read("/proc/self/net/tcp"), as: UTF8.self)
    return table.split(separator: "\n").dropFirst().count { line in
      let fields = line.split(separator: " ")
      let (local, state, inode) = (fields[1], fields[3], fields[9])
      return local.hasSuffix(suffix) && state != "0A" && inode != "0"
    }
  }

  /// Asks again until it holds none.
  private func letsGoOfAll(_ served: Served) throws -> Bool {
    for _ in 0..<500 {
      if try connectionCount(served) == 0 { return true }
      usleep(20_000)
    }
    return false
  }

  @Test func `serves 1,000 clients at once, each with its own reply, and lets go of all`() throws {
    let served = try Served()
    do {
      let clients = try (0..<1000).map { number in
        let client = try served.connect()
        try client.write("POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\(end)")
        return client
      }
      #expect(try connectionCount(served) > 0)
      for client in clients { try client.write("hello") }
      for (number, client) in clients.enumerated() {
        #expect(try client.readAll().hasSuffix("POST /\(number) from 127.0.0.1: hello"))
      }
    }
    #expect(try letsGoOfAll(served))
  }

  @Test func `gives up on a client that is slow, whatever it sends, and says so`() throws {
    let served = try Served { $0.patience = .milliseconds(500) }
    let slow = try served.connect()
    try slow.write("GET /x HTTP/1.1\r\nHost: x\r\n")
    let writer = try Thread("slow") {
      // Never silent for long, and never done.
      while (try? slow.write("X: y\r\n")) != nil { usleep(20_000) }
    }
    let reply = try slow.read(until: "\r\n\r\n")
    #expect(reply.hasPrefix("HTTP/1.1 408 "))
    writer.join()
  }

  @Test func `waits for a client that sends byte by byte, but in time`() throws {
    let client = try Served().connect()
    for byte in "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\(end)ab".utf8 {
      try client.descriptor.write([byte])
    }
    #expect(try client.readAll().hasSuffix(": ab"))
  }

  @Test func `gives up on a body that never comes, and on a client that asks nothing`() throws {
    let served = try Served { $0.patience = .milliseconds(300) }
    let body = try served.connect()
    try body.write("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
    let idle = try served.connect()
    #expect(try body.readAll().hasPrefix("HTTP/1.1 408 "))
    #expect(try idle.readAll().isEmpty)
  }

  @Test func `gives up on clients that do not read their reply`() throws {
    let served = try Served { $0.patience = .milliseconds(300) }
    let deaf = try (0..<50).map { _ in try served.connect() }
    for client in deaf { try client.write("GET /big HTTP/1.1\r\nHost: x\r\n\(end)") }
    _ = try served.exchanges(deaf.count)
    #expect(try letsGoOfAll(served))
    // What they could read now is not all of it.
    #expect(try deaf[0].descriptor.readAll().count < 8 << 20)
  }

  @Test func `forgets clients that left before their reply`() throws {
    let served = try Served()
    for path in ["never", "late", "cut", "big"] {
      for _ in 0..<50 {
        try served.connect().write("GET /\(path) HTTP/1.1\r\nHost: x\r\n\r\n")
      }
    }
    _ = try served.exchanges(200)
    #expect(try letsGoOfAll(served))
  }

  @Test func `refuses a port that is taken, with the reason`() throws {
    let served = try Served()
    let error = #expect(throws: SystemError.self) {
      _ = try HTTPServer(EventLoop(), at: served.address, SampleService())
    }
    #expect(error?.code == EADDRINUSE)
    #expect(error.map { "\($0)" }?.contains("127.0.0.1:\(served.address.port)") == true)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A server that stops` {
  @Test func `finishes what was asked, and takes nothing new`() throws {
    let served = try Served()
    let late = try served.connect()
    try late.write("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
    let half = try served.connect()
    try half.write("POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
    let idle = try served.connect()
    _ = try served.reply(to: "GET /x HTTP/1.1\r\nHost: x\r\n\(end)")
    served.askToStop()
    // It hangs up on whoever has asked nothing: now it stops.
    #expect(try idle.readAll().isEmpty)
    try half.write("b")
    #expect(try half.readAll().hasSuffix(": ab"))
    let reply = try late.readAll()
    #expect(reply.contains("Connection: close") && reply.hasSuffix("late"))
    served.waitUntilStopped()
    #expect(throws: SystemError.self) { try served.connect() }
  }

  @Test func `and is told twice ends without the rest`() throws {
    let served = try Served()
    let half = try served.connect()
    try half.write("POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
    let idle = try served.connect()
    served.askToStop()
    #expect(try idle.readAll().isEmpty)
    served.askToStop()
    served.waitUntilStopped()
    #expect(try half.readAll().isEmpty)
  }

  @Test func `does not wait for a reply that never comes`() throws {
    let served = try Served()
    let never = try served.connect()
    try never.write("GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = try served.exchanges(1)
    served.askToStop()
    served.waitUntilStopped()
    #expect(try never.readAll().isEmpty)
  }
}
