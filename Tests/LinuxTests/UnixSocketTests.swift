import Foundation
import Linux
import Testing

@Suite struct `A Unix socket` {
  @Test(arguments: [0, 1, 4096, 1 << 20]) func `carries a whole message`(count: Int) throws {
    let (left, right) = try UnixSocket.pair()
    let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let thread = try Thread("send") { try? left.send(message) }
    let received = try #require(try right.receive())
    thread.join()
    #expect(received.message == message)
    #expect(received.passed.isEmpty)
  }

  @Test func `passes a descriptor beside a message`() throws {
    let (left, right) = try UnixSocket.pair()
    let pipe = try Descriptor.pipe()
    try left.send(Array("take".utf8), passing: [pipe.writing])
    let passed = try #require(try right.receive()?.passed.first)
    #expect(passed.number != pipe.writing.number)
    try passed.write(Array("hello".utf8))
    #expect(try pipe.reading.read(count: 10) == Array("hello".utf8))
  }

  @Test func `ends without an error between two messages`() throws {
    let (left, right) = try UnixSocket.pair()
    try left.send([1])
    left.shutDown()
    #expect(try right.receive()?.message == [1])
    #expect(try right.receive() == nil)
  }

  @Test func `refuses an end in the middle of a message`() throws {
    let (left, right) = try UnixSocket.pair()
    try left.descriptor.write([0, 0, 0, 9, 1, 2])
    left.shutDown()
    #expect(throws: SystemError.self) { try right.receive() }
  }

  @Test func `refuses a length over the limit, from either side`() throws {
    let (left, right) = try UnixSocket.pair()
    try left.descriptor.write([1, 0, 0, 1])
    #expect(throws: SystemError(call: "receive", subject: "a pair", code: EMSGSIZE)) {
      try right.receive()
    }
    #expect(throws: SystemError(call: "send", subject: "a pair", code: EMSGSIZE)) {
      try left.send([UInt8](repeating: 0, count: UnixSocket.messageBytesMax + 1))
    }
  }

  @Test func `listens with mode 0600 in a private folder only`() throws {
    let folder = NSTemporaryDirectory() + "s-\(UUID().uuidString.prefix(8))"
    try Files.makeDirectory(folder, permissions: 0o700)
    defer { try? Files.removeTree(folder) }
    let listener = try UnixListener(folder + "/c")
    #expect(try Files.status(folder + "/c").permissions == 0o600)
    let thread = try Thread("connect") {
      _ = try? UnixSocket.connect(folder + "/c").send(Array("hi".utf8))
    }
    #expect(try listener.accept().receive()?.message == Array("hi".utf8))
    thread.join()

    unsafe chmod(folder, 0o755)
    #expect(throws: SystemError(call: "listen", subject: folder, code: EPERM)) {
      try UnixListener(folder + "/d")
    }
  }

  @Test func `refuses a path that is too long, with the path`() {
    let path = "/tmp/" + String(repeating: "x", count: 200)
    #expect(throws: SystemError(call: "connect", subject: path, code: ENAMETOOLONG)) {
      try UnixSocket.connect(path)
    }
  }
}
