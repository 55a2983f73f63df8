import Foundation
import Machine
import Ports
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A service over a socket` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.path)
  }

  private var socket: String { "\(scratch.path)/s" }

  /// Serves on a thread of its own until it is told `stop`; answers what it was asked.
  ///
  /// - Returns: What waits until its connections are closed.
  private func serve() throws -> () -> Void {
    let path = socket
    let ready = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
      do {
        let server = try RequestServer(path: path)
        ready.signal()
        try server.serve(
          { ("<\($0)>", $0 == "stop" ? .stop : .goOn) }, afterwards: {})
      } catch {
        Issue.record("\(error)")
        ready.signal()
      }
      ended.signal()
    }
    thread.start()
    ready.wait()
    return { ended.wait() }
  }

  @Test func `answers several clients, each with its own answer`() async throws {
    _ = try serve()
    let first = SocketSystemDaemon(path: socket)
    let second = SocketSystemDaemon(path: socket)
    #expect(try await first.call("1") == "<1>")
    #expect(try await second.call("2") == "<2>")
    #expect(try await first.call("") == "<>")
    let big = String(repeating: "ö", count: 300_000)
    #expect(try await second.call(big) == "<\(big)>")
    #expect(try await first.call("stop") == "<stop>")
  }

  @Test func `can be used by its owner only`() async throws {
    _ = try serve()
    let attributes = try FileManager.default.attributesOfItem(atPath: socket)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    _ = try await SocketSystemDaemon(path: socket).call("stop")
  }

  @Test func `is found again after it was restarted between two calls`() async throws {
    let waitForEnd = try serve()
    let client = SocketSystemDaemon(path: socket)
    #expect(try await client.call("stop") == "<stop>")
    waitForEnd()
    _ = try serve()
    #expect(try await client.call("again") == "<again>")
    _ = try await client.call("stop")
  }

  @Test func `that is not there is an error, not a trap`() async throws {
    let client = SocketSystemDaemon(path: socket)
    let error = await #expect(throws: DaemonUnavailable.self) { try await client.call("1") }
    #expect(error?.reason.contains(socket) == true)
  }

  @Test func `does not listen in a directory that others may enter`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path)
    #expect(throws: ListenFailure.self) { _ = try RequestServer(path: socket) }
  }
}

@Suite struct `Logical points of a mounted phone` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  @Test func `are written to the mount's file, a line each`() throws {
    try FileManager.default.createDirectory(
      atPath: "\(scratch.path)/.lab", withIntermediateDirectories: false)
    try Data().write(to: URL(filePath: "\(scratch.path)/.lab/points"))
    let points = MountTracePoints(root: scratch.path)
    points.reach(.beforeKey)
    points.reach(.keyWritten)
    #expect(try String(decoding: scratch.bytes(of: ".lab/points"), as: UTF8.self) == "K0\nK1\n")
  }

  @Test func `go nowhere in a directory that is no mount`() throws {
    MountTracePoints(root: scratch.path).reach(.beforeKey)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }
}

@Suite struct `The acknowledgement log in a file` {
  @Test func `grows by whole lines over several processes`() throws {
    let scratch = try Scratch()
    for line in ["a", "b"] {
      try FileAcknowledgements(path: "\(scratch.path)/log").append(line)
    }
    #expect(try String(decoding: scratch.bytes(of: "log"), as: UTF8.self) == "a\nb\n")
  }

  @Test func `says why it cannot be opened`() throws {
    #expect(throws: AcknowledgementFailure.self) {
      _ = try FileAcknowledgements(path: "/nowhere/at/all")
    }
  }
}
