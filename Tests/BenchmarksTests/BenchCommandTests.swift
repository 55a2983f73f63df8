import Glibc
import JSON
import Linux
import TestSupport
import Testing

@testable import Benchmarks

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
    #expect(text.hasSuffix("\nsmoke: values are not measurements\n"))
    // It says nothing more of its figures.
    for word in ["to compare", "these spread", "busy", "demands"] {
      #expect(!text.contains(word), "\(word)")
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func `says what a session write costs`() throws {
    let (code, text) = try run("storage", "--smoke")
    #expect(code == .exited(0))
    #expect(text.contains("\n  ios, 4 KiB, simulated "))
    #expect(text.contains("\n  set durable, android "))
    #expect(text.hasSuffix("\nsmoke: values are not measurements\n"))
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

  @Test func `shows what the finished rounds gave when it is interrupted`() throws {
    let (output, writing) = try Descriptor.pipe()
    let (terminal, errors) = try Self.terminal()
    var launch = ChildProcess.Launch(
      [Programs.lab, "bench", "crypto", "--smoke", "--rounds", "999"])
    launch.descriptors = [nil, writing, errors]
    let child = try ChildProcess(launch)
    var seen = ""
    while !seen.contains(" of 999"), try terminal.waitReadable(timeoutMs: 60_000) {
      seen += String(decoding: try terminal.read(count: 4096), as: UTF8.self)
    }
    try child.pidfd.signal(SIGINT)
    #expect(try child.wait(timeoutMs: 60_000) == .exited(130))
    let text = String(decoding: try output.read(count: 65_536), as: UTF8.self)
    #expect(text.contains("INTERRUPTED: "), "\(text)")
    #expect(text.contains(" of 999 rounds.\n"))
    #expect(text.contains("\n  AES-256-CTR, key kept "))
  }

  /// A terminal: what is written to the second can be read from the first.
  private static func terminal() throws -> (reading: Descriptor, writing: Descriptor) {
    let reading = try Descriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var isLocked: Int32 = 0
    try #require(unsafe ioctl(reading.number, 0x4004_5431, &isLocked) == 0, "TIOCSPTLCK")
    let writing = ioctl(reading.number, 0x5441, O_RDWR | O_NOCTTY)
    try #require(writing >= 0, "TIOCGPTPEER")
    return (reading, Descriptor(owning: writing))
  }
}

/// Runs that were kept, and what can be made of them without measuring.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `The command bench with a file` {
  private let scratch: TestSupport.Scratch
  private let run: String

  init() throws {
    scratch = try Scratch()
    run = "\(scratch.path)/run.json"
    let text = JSONWriter.text(of: Measurements.sample().json, .pretty)
    try Files.write(run, Array(text.utf8))
  }

  private func bench(
    _ words: String...
  ) throws -> (code: ChildProcess.ExitStatus?, text: String) {
    let (output, writing) = try Descriptor.pipe()
    var launch = ChildProcess.Launch([Programs.lab, "bench"] + words)
    launch.descriptors = [nil, writing, writing]
    let code = try ChildProcess(launch).wait(timeoutMs: 60_000)
    return (code, String(decoding: try output.read(count: 65_536), as: UTF8.self))
  }

  /// A file with one text in place of another.
  private func changed(_ old: String, _ new: String) throws -> String {
    let path = "\(scratch.path)/changed.json"
    let text = String(decoding: try Files.read(run), as: UTF8.self)
    try #require(text.contains(old))
    try Files.write(path, Array(text.replacing(old, with: new).utf8))
    return path
  }

  @Test func `shows it, and writes its pages`() throws {
    let (html, markdown) = ("\(scratch.path)/run.html", "\(scratch.path)/run.md")
    let (code, text) = try bench("--from", run, "--html", html, "--markdown", markdown)
    #expect(code == .exited(0))
    #expect(text.contains("1 of 2 demands met.") && text.contains("written: \(html)"))
    let page = BenchmarkPage(.sample()).html
    #expect(try Files.read(html) == Array(page.utf8))
    let results = ResultsPage([.sample()]).text
    #expect(try Files.read(markdown) == Array(results.utf8))
  }

  @Test func `writes for programs what it has read`() throws {
    let (code, text) = try bench("--from", run, "--json")
    #expect(code == .exited(0))
    #expect(text == String(decoding: try Files.read(run), as: UTF8.self) + "\n")
  }

  @Test func `stands two beside each other`() throws {
    let (code, text) = try bench("--from", run, "--compare", try changed("1040.0", "2080.0"))
    #expect(code == .exited(0))
    #expect(text.contains("beside an older run:") && text.contains("1 faster."))
    let json = try bench("--from", run, "--compare", run, "--json").text
    #expect(json.contains("lab.bench-comparison/1") && json.contains("no change seen"))
  }

  @Test func `refuses one of another schema, naming file, line and field`() throws {
    let path = try changed("lab.bench/1", "lab.run/1")
    let (code, text) = try bench("--from", path)
    #expect(code == .exited(2))
    #expect(text.hasPrefix("\(path):"))
    #expect(text.contains("\"schema\": \"lab.run/1\"") && text.contains("allowed: lab.bench/1"))
  }

  @Test func `refuses one of another suite before it measures`() throws {
    let (code, text) = try bench("crypto", "--compare", run)
    #expect(code == .exited(2))
    #expect(text.contains("\"suite\": \"sample\"") && text.contains("allowed: crypto"))
    #expect(text.contains("a run of another suite"))
  }

  @Test func `refuses what makes no sense together`() throws {
    #expect(try bench("--from", run, "--rounds", "9").code == .exited(64))
    #expect(try bench("--from", run, "--from", run, "--json").code == .exited(64))
    #expect(try bench("--html", "x.html").code == .exited(64))
  }
}
