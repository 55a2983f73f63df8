import Foundation
import Linux
import TestSupport
import Testing

/// `lab-app zygote`, and the processes that are forked from it.
@Suite(.timeLimit(.minutes(5))) struct `A process that is forked from a zygote` {
  private let scratch: Scratch
  private let spawner: Spawner

  private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "lab-app").path

  init() throws {
    scratch = try Scratch()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.path)
    spawner = try Spawner(zygote: [
      Self.program, "zygote", "--rehearsal", "\(scratch.path)/rehearsal",
    ])
  }

  /// A keychain's service, of which both ends of standard output are known.
  private func startService() throws -> (child: ChildProcess, output: Descriptor) {
    let (output, writing) = try Descriptor.pipe()
    let name = UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(
      atPath: "\(scratch.path)/phone", withIntermediateDirectories: true)
    var launch = ChildProcess.Launch([
      Self.program, "system-daemon", "--root", "\(scratch.path)/phone", "--socket",
      "\(scratch.path)/\(name)",
    ])
    launch.descriptors = [nil, writing, nil]
    let (child, _) = try spawner.start(launch) { _ in }
    try #require(try LineReader(output).next(patienceMs: 10_000) == "ready")
    return (child, output)
  }

  private func words(of process: Int32) throws -> [String] {
    try Files.read("/proc/\(process)/cmdline").split(separator: 0).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The zygote of this test.
  private func zygote() throws -> Int32? {
    try ProcessTable.children(of: getpid()).first {
      try words(of: $0).contains("\(scratch.path)/rehearsal")
    }
  }

  @Test func `is this process's child, with words, name and descriptors of its own`() throws {
    defer { spawner.stop() }
    let (child, output) = try startService()
    let number = child.processNumber
    #expect(ProcessTable.place(ofThread: number)?.parent == getpid())
    #expect(try words(of: number).prefix(2) == [Self.program, "system-daemon"])
    // What it was forked from shows in the room that the zygote's command line has.
    #expect(try Files.read("/proc/\(number)/cmdline").count > 2048)
    let descriptors = try Files.list("/proc/\(number)/fd").sorted()
    // The fourth is the socket that the service listens on.
    #expect(descriptors == ["0", "1", "2", "3"])
    #expect(try Files.readLink("/proc/\(number)/fd/0") == "/dev/null")
    try child.kill()
    #expect(try child.wait(timeoutMs: 5_000) == .signalled(9))
    // Nobody else kept its end of the pipe.
    #expect(try output.readAll().isEmpty)
  }

  @Test func `ends with its own code`() throws {
    defer { spawner.stop() }
    let (errors, writing) = try Descriptor.pipe()
    var launch = ChildProcess.Launch([Self.program, "session", "--rot", "a b"])
    launch.descriptors = [nil, nil, writing]
    let (child, _) = try spawner.start(launch) { _ in }
    #expect(try child.wait(timeoutMs: 10_000) == .exited(64))
    let text = String(decoding: try errors.read(count: 100), as: UTF8.self)
    #expect(text == "lab-app: no option --rot\n")
  }

  @Test func `goes on when its zygote dies, and the next one has another`() throws {
    defer { spawner.stop() }
    let (first, _) = try startService()
    let zygote = try #require(try zygote())
    let pidfd = try Pidfd(process: zygote)
    try pidfd.kill()
    #expect(try pidfd.waitForEnd(timeoutMs: 5_000))
    #expect(!first.pidfd.hasEnded)
    let (second, _) = try startService()
    #expect(try self.zygote() != zygote)
    #expect(try Files.read("/proc/\(second.processNumber)/cmdline").count > 2048)
    for child in [first, second] {
      try child.kill()
      try child.wait()
    }
  }

  @Test func `does not run when it is not admitted`() throws {
    defer { spawner.stop() }
    let refusal = SystemError(call: "admit", subject: "it", code: 1)
    let born = Locked<Pidfd?>(nil)
    let launch = ChildProcess.Launch([
      Self.program, "system-daemon", "--root", scratch.path, "--socket", "\(scratch.path)/never",
    ])
    #expect(throws: refusal) {
      try spawner.start(launch) { process throws(SystemError) in
        let pidfd = try Pidfd(process: process)
        born.withLock { $0 = pidfd }
        throw refusal
      }
    }
    let pidfd = try #require(born.withLock { $0 })
    #expect(try pidfd.waitForEnd(timeoutMs: 5_000))
    #expect(!Files.exists("\(scratch.path)/never"))
  }

  @Test func `dies with the spawner, as its zygote does`() throws {
    let (child, _) = try startService()
    let zygote = try #require(try zygote())
    spawner.stop()
    #expect(try child.wait(timeoutMs: 5_000) == .signalled(9))
    #expect(!ProcessTable.isAlive(zygote))
  }

  @Test func `is started anew where no zygote can be`() throws {
    let broken = try Spawner(zygote: [Self.program, "zygote", "--rot", "x"])
    defer { broken.stop() }
    let (output, writing) = try Descriptor.pipe()
    var launch = ChildProcess.Launch([Self.program, "session", "--rot", "x"])
    launch.descriptors = [nil, nil, writing]
    let (child, _) = try broken.start(launch) { _ in }
    #expect(try child.wait(timeoutMs: 10_000) == .exited(64))
    let text = String(decoding: try output.read(count: 100), as: UTF8.self)
    #expect(text == "lab-app: no option --rot\n")
  }
}
