import Foundation
import Linux
import Testing

@Suite struct `A child process` {
  private func run(
    _ command: [String], _ change: (inout ChildProcess.Launch) -> Void = { _ in }
  ) throws -> (text: String, status: ChildProcess.ExitStatus?) {
    let pipe = try Descriptor.pipe()
    let child = try start(command, pipe.writing, change)
    let status = try child.wait(timeoutMs: 10_000)
    // This process holds a writing end, too: there is no end to read.
    guard try pipe.reading.waitReadable(timeoutMs: 0) else { return ("", status) }
    return (String(decoding: try pipe.reading.read(count: 65_536), as: UTF8.self), status)
  }

  private func start(
    _ command: [String], _ out: Descriptor, _ change: (inout ChildProcess.Launch) -> Void
  ) throws -> ChildProcess {
    var launch = ChildProcess.Launch(command)
    launch.descriptors = [nil, out, nil]
    change(&launch)
    return try ChildProcess(launch)
  }

  @Test func `says how it ended`() throws {
    #expect(try run(["sh", "-c", "exit 7"]).status == .exited(7))
    #expect(try run(["sh", "-c", "kill -TERM $$"]).status == .signalled(15))
  }

  @Test func `ends as it does behind a guard, which takes what it does to its parent`() throws {
    for isGuarded in [false, true] {
      let (text, status) = try run(["sh", "-c", "echo $PPID; exit 7"]) { $0.isGuarded = isGuarded }
      #expect(status == .exited(7))
      let isOurs = text == "\(ProcessInfo.processInfo.processIdentifier)\n"
      #expect(isOurs != isGuarded, "\(text)")
    }
    #expect(
      try run(["sh", "-c", "kill -TERM $$"]) { $0.isGuarded = true }.status == .signalled(15))
    // It may do so before the guard has gone on.
    for _ in 0..<50 {
      let (_, status) = try run(["sh", "-c", "kill -KILL $PPID; sleep 600"]) {
        ($0.isGuarded, $0.diesWithParent) = (true, true)
      }
      #expect(status == .signalled(9))
    }
    var missing = ChildProcess.Launch(["/no/such/program"])
    missing.isGuarded = true
    #expect(throws: SystemError(call: "spawn", subject: "/no/such/program", code: 2)) {
      try ChildProcess(missing)
    }
  }

  @Test func `gets its directory, environment and arguments`() throws {
    let (text, _) = try run(["sh", "-c", "pwd; echo $A; echo \"$1\"", "sh", "two words"]) {
      $0.directory = "/usr"
      $0.environment = ["A=b", "PATH=/usr/bin:/bin"]
    }
    #expect(text == "/usr\nb\ntwo words\n")
  }

  @Test func `inherits the named descriptors and no other`() throws {
    let kept = try Descriptor.open("/dev/null", 0)
    let (text, _) = try run(["sh", "-c", "ls /proc/self/fd | wc -l"])
    // 0, 1, 2, and the one with which `ls` reads the folder.
    #expect(text.trimmingCharacters(in: .whitespaces) == "4\n")
    withExtendedLifetime(kept) {}
  }

  @Test func `that cannot be executed is an error and leaves nothing`() {
    #expect(throws: SystemError(call: "spawn", subject: "/no/such/program", code: 2)) {
      try ChildProcess(ChildProcess.Launch(["/no/such/program"]))
    }
  }

  @Test func `is killed through its pidfd, and only then is the pidfd readable`() throws {
    let child = try ChildProcess(ChildProcess.Launch(["sleep", "60"]))
    #expect(!child.pidfd.hasEnded)
    #expect(child.pidfd.processNumber() == child.processNumber)
    #expect(try child.wait(timeoutMs: 10) == nil)
    try child.pidfd.kill()
    #expect(try child.wait(timeoutMs: 5_000) == .signalled(9))
    #expect(child.pidfd.hasEnded)
    try child.pidfd.kill()
    #expect(!ProcessTable.isAlive(child.processNumber))
  }

  @Test func `dies with the thread that started it`() throws {
    let started = Locked<ChildProcess?>(nil)
    let goOn = Locked(false)
    let thread = try Thread("parent") {
      var launch = ChildProcess.Launch(["sleep", "60"])
      launch.diesWithParent = true
      let child = try? ChildProcess(launch)
      started.withLock { $0 = child }
      _ = goOn.wait { $0 ? true : nil }
    }
    let child = try #require(started.wait(timeoutMs: 5_000) { $0 })
    #expect(!child.pidfd.hasEnded)
    goOn.withLock { $0 = true }
    thread.join()
    #expect(try child.wait(timeoutMs: 5_000) == .signalled(9))
  }

  @Test func `is ended when it is not admitted, and the next one starts`() throws {
    let spawner = try Spawner()
    let refusal = SystemError(call: "admit", subject: "it", code: 1)
    let born = Locked<Int32>(0)
    #expect(throws: refusal) {
      try spawner.start(ChildProcess.Launch(["sleep", "60"])) { process throws(SystemError) in
        born.withLock { $0 = process }
        throw refusal
      }
    }
    let (child, _) = try spawner.start(ChildProcess.Launch(["true"])) { _ in }
    #expect(try child.wait(timeoutMs: 5_000) == .exited(0))
    #expect(!ProcessTable.isAlive(born.withLock { $0 }))
    spawner.stop()
  }

  @Test func `waits at its gate before it touches a file`() throws {
    let gate = try Gate()
    let queue = try WorkQueue("spawn")
    let file = NSTemporaryDirectory() + "gate-\(UUID().uuidString)"
    queue.submit {
      var launch = ChildProcess.Launch(["touch", file])
      launch.gate = gate
      _ = try? ChildProcess(launch).wait()
    }
    let process = try #require(try gate.process(timeoutMs: 5_000))
    #expect(ProcessTable.isAlive(process))
    #expect(!Files.exists(file))
    let pidfd = try Pidfd(process: process)
    try gate.open()
    #expect(try pidfd.waitForEnd(timeoutMs: 5_000))
    queue.stop()
    #expect(Files.exists(file))
    try Files.remove(file)
  }

  @Test func `is found in the process table with its parent`() throws {
    let child = try ChildProcess(ChildProcess.Launch(["sleep", "60"]))
    let place = try #require(ProcessTable.place(ofThread: child.processNumber))
    #expect(place.process == child.processNumber)
    #expect(place.parent == getpid())
    #expect(ProcessTable.children(of: getpid()).contains(child.processNumber))
    try child.kill()
    try child.wait()
    #expect(ProcessTable.place(ofThread: child.processNumber) == nil)
    #expect(ProcessTable.place(ofThread: 0) == nil)
  }

  @Test func `finds a thread's process, not the thread's own number`() throws {
    let found = Locked<(Int32, ProcessTable.Place?)?>(nil)
    let thread = try Thread("probe") {
      let id = Thread.currentID
      found.withLock { $0 = (id, ProcessTable.place(ofThread: id)) }
    }
    thread.join()
    let (id, place) = try #require(found.withLock { $0 })
    #expect(id != getpid())
    #expect(place?.process == getpid())
  }
}
