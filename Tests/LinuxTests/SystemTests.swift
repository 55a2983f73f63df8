import Foundation
import Linux
import Testing

@Suite struct `The machine's calls` {
  @Test func `name call, subject and reason in one line`() {
    let error = SystemError(call: "open", subject: "/no/file", code: 2)
    #expect(error.description == "open /no/file: No such file or directory")
    #expect(throws: error) { try Files.read("/no/file") }
  }

  @Test func `read, write, rename and remove files`() throws {
    let folder = NSTemporaryDirectory() + "files-\(UUID().uuidString)"
    try Files.makeDirectory(folder)
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    try Files.write(folder + "/a", bytes)
    #expect(try Files.status(folder + "/a").permissions == 0o600)
    try Files.rename(folder + "/a", to: folder + "/b")
    #expect(try Files.list(folder) == ["b"])
    #expect(try Files.read(folder + "/b") == bytes)
    #expect(throws: SystemError.self) { try Files.remove(folder) }
    try Files.removeTree(folder)
    #expect(!Files.exists(folder))
    #expect(try Files.currentExecutable().hasPrefix("/"))
  }

  @Test func `remove a tree without following its links`() throws {
    let folder = NSTemporaryDirectory() + "tree-\(UUID().uuidString)"
    try Files.makeDirectory(folder)
    try Files.makeDirectory(folder + "/outside")
    try Files.write(folder + "/outside/kept", [1])
    try Files.makeDirectory(folder + "/inside")
    unsafe symlink(folder + "/outside", folder + "/inside/link")
    try Files.removeTree(folder + "/inside")
    #expect(Files.exists(folder + "/outside/kept"))
    try Files.removeTree(folder)
  }

  @Test func `pin a thread to one processor`() throws {
    let seen = Locked<[Int]?>(nil)
    let processor = try #require(try Affinity.processors().first)
    let thread = try Thread("pinned") {
      try? Affinity.pin(to: processor)
      let processors = try? Affinity.processors()
      seen.withLock { $0 = processors }
    }
    thread.join()
    #expect(seen.withLock { $0 } == [processor])
    #expect(throws: SystemError.self) { try Affinity.pin(to: -1) }
  }

  @Test func `turn a signal into something to read`() throws {
    let seen = Locked<Int32??>(nil)
    let thread = try Thread("signals") {
      guard let signals = try? Signals([SIGUSR1]) else { return }
      pthread_kill(pthread_self(), SIGUSR1)
      let number = try? signals.next(timeoutMs: 5_000)
      seen.withLock { $0 = .some(number) }
    }
    thread.join()
    #expect(seen.withLock { $0 } == SIGUSR1)
  }

  /// Whether the thread comes to its read before or after: the first is interrupted, the second fails.
  @Test func `let a thread out of a read that would wait for ever`() throws {
    let (reading, writing) = try Descriptor.pipe()
    let outcome = Locked<SystemError?>(nil)
    let thread = try Thread("reader") {
      Signals.letThisThreadBeInterrupted()
      do throws(SystemError) { _ = try reading.read(count: 1) } catch {
        outcome.withLock { $0 = error }
      }
    }
    try reading.setNonblocking(true)
    thread.interrupt()
    thread.join()
    #expect(outcome.withLock { $0 }?.code == EAGAIN)
    thread.interrupt()
    try reading.setNonblocking(false)
    try writing.write([7])
    #expect(try reading.read(count: 1) == [7])
  }

  @Test func `lock a file for one holder, until its descriptor is closed`() throws {
    let path = NSTemporaryDirectory() + "lock-\(UUID().uuidString)"
    defer { try? Files.remove(path) }
    try Files.write(path, [])
    var first: Descriptor? = try Descriptor.open(path, O_RDWR)
    try first?.lockFile()
    let second = try Descriptor.open(path, O_RDWR)
    #expect(throws: SystemError.self) { try second.lockFile(shared: true) }
    first = nil
    try second.lockFile(shared: true)
  }
}
