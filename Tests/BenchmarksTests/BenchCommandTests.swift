import Glibc
import JSON
import Linux
import Testing

/// `lab bench` as people type it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `The command bench` {
  private func start(_ words: [String], output: Descriptor? = nil) throws -> ChildProcess {
    var launch = ChildProcess.Launch([Programs.lab, "bench"] + words)
    launch.descriptors = [nil, output, output]
    return try ChildProcess(launch)
  }

  private func run(_ words: String...) throws -> (code: ChildProcess.ExitStatus?, text: String) {
    let (output, writing) = try Descriptor.pipe()
    // A pipe holds more than the command says, so it never waits for us.
    let code = try start(words, output: writing).wait(timeoutMs: 60_000)
    return (code, String(decoding: try output.read(count: 65_536), as: UTF8.self))
  }

  @Test func `lists the suites`() throws {
    let (code, text) = try run()
    #expect(code == .exited(0))
    #expect(text.contains("filesystem") && text.contains("next: lab bench filesystem"))
  }

  @Test func `names the suites that there are`() throws {
    let (code, text) = try run("filesistem")
    #expect(code == .exited(64))
    #expect(text.contains("no suite 'filesistem'; nearest: filesystem"))
  }

  @Test(.enabled(if: Programs.canMount, "needs /dev/fuse"))
  func `refuses a folder that is none`() throws {
    let (code, text) = try run("filesystem", "--smoke", "--against", "/dev/null")
    #expect(code == .exited(2))
    #expect(text.contains("cannot measure against /dev/null: not a folder"))
  }

  @Test(.enabled(if: Programs.canMount, "needs /dev/fuse"))
  func `shows tables no wider than a terminal`() throws {
    let (code, text) = try run("filesystem", "--smoke")
    #expect(code == .exited(0))
    for title in ["file calls", "SQLite, 8 KiB upsert", "processes", "demanded"] {
      #expect(text.contains("\n  \(title)  "), "\(title)")
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func `shows clients beside each other`() throws {
    let (code, text) = try run("refresh", "--smoke", "--devices", "5", "--days", "2", "--seed", "3")
    #expect(code == .exited(0))
    #expect(text.contains("\n  app suspended in the background "))
    #expect(text.contains("2.106 free") && text.contains("5 phones for 2 days"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(try run("crypto", "--smoke", "--days", "2").code == .exited(64))
  }

  @Test func `shows the throughput of ciphers by the size of a message`() throws {
    let (code, text) = try run("crypto", "--smoke")
    #expect(code == .exited(0))
    #expect(text.contains("\n  AES-256-CTR, key kept "))
    #expect(text.contains("\n  OpenSSL, context kept "))
    #expect(text.contains("setItem of durable, 4 KiB"))
    #expect(text.hasSuffix("storage.\n"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func `says what a session write costs`() throws {
    let (code, text) = try run("storage", "--smoke")
    #expect(code == .exited(0))
    #expect(text.contains("\n  ios, 4 KiB, simulated "))
    #expect(text.contains("\n  set durable, android "))
    #expect(text.contains("saving a session of 4 KiB costs the user of an iPhone"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test(.enabled(if: Programs.canMount, "needs /dev/fuse"))
  func `ends with 130 and nothing mounted when it is interrupted`() throws {
    let child = try start(["filesystem", "--rounds", "999"])
    let scratch = Programs.scratch(of: child.processNumber)
    // The folder in memory is made last, before the first round.
    let memory = "/dev/shm/lab-bench-\(child.processNumber)"
    while !Files.exists(memory), !child.pidfd.hasEnded { usleep(2_000) }
    try child.pidfd.signal(SIGINT)
    #expect(try child.wait(timeoutMs: 60_000) == .exited(130))
    #expect(!Files.exists(scratch) && !Files.exists(memory))
    let mounts = String(decoding: try Files.read("/proc/self/mountinfo"), as: UTF8.self)
    #expect(!mounts.contains(scratch))
  }
}
