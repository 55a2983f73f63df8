import Device
import Foundation
import Linux
import Mount
import Testing

/// An atomic replacement: seven operations on the phone.
private let save = """
  import os
  f = os.open('a.tmp', os.O_CREAT | os.O_WRONLY, 0o600)
  os.write(f, b'new ')
  os.write(f, b'content')
  os.fsync(f)
  os.close(f)
  os.rename('a.tmp', 'a')
  d = os.open('.', os.O_RDONLY)
  os.fsync(d)
  print('saved')
  """
private let saveOperationCount = 6

extension `A mounted device` {
  @Test(arguments: 1...saveOperationCount, [ArmedFault.Effect.killBefore, .killAfter])
  func `kills a save at each of its operations`(
    operation: Int, effect: ArmedFault.Effect
  ) throws {
    try withPhone { mount in
      try Files.write(mount.directory + "/a", Array("old".utf8))
      let fault = mount.arm(effect, at: .operation(count: operation))
      let before = mount.withDevice { $0.operationCount }
      let app = try App(mount, save)
      #expect(try app.status() == .signalled(9))
      #expect(try app.line() == nil)

      // Exactly the operations up to the fault: the app never saw the answer to the last one.
      let log = mount.withDevice { Array($0.log) }.filter { $0.number.number > before }
      #expect(log.count == operation)
      #expect(log.allSatisfy { $0.process == app.number })
      #expect(log.last?.error == (effect == .killBefore ? .inputOutput : nil))
      let applied = effect == .killBefore ? operation - 1 : operation
      let expected = applied >= 5 ? "new content" : "old"
      #expect(try Files.read(mount.directory + "/a") == Array(expected.utf8))
      #expect(mount.withDevice { $0.faults.entries.first { $0.id == fault }?.firedCount } == 1)
    }
  }

  @Test func `lets a save pass when nothing is armed`() throws {
    try withPhone { mount in
      let app = try App(mount, save)
      #expect(try app.line() == "saved")
      #expect(try app.status() == .exited(0))
      #expect(mount.withDevice { $0.operationCount } == saveOperationCount)
      #expect(mount.stored("/a") == Array("new content".utf8))
    }
  }

  @Test func `answers EIO to what a killed app waits for, and does not apply it`() throws {
    try withPhone { mount in
      _ = mount.arm(.hold, .rename)
      let app = try App(mount, save)
      #expect(mount.waitUntilHeld(timeoutMs: 5_000)?.map(\.words) == ["rename /a.tmp"])
      mount.kill(app.number)
      #expect(try app.status() == .signalled(9))
      #expect(mount.held.isEmpty)
      #expect(mount.stored("/a") == nil)
      #expect(mount.stored("/a.tmp") == Array("new content".utf8))
    }
  }

  @Test func `applies a held operation when it is released`() throws {
    try withPhone { mount in
      _ = mount.arm(.hold, .rename)
      let app = try App(mount, save)
      let held = try #require(mount.waitUntilHeld(timeoutMs: 5_000)?.first)
      #expect(mount.stored("/a") == nil)
      mount.release(held)
      mount.release(held)
      #expect(try app.line() == "saved")
      #expect(mount.stored("/a") == Array("new content".utf8))
    }
  }

  @Test(arguments: [SIGKILL, SIGTERM])
  func `lets go of a held app that is killed by hand`(signal: Int32) throws {
    try withPhone { mount in
      _ = mount.arm(.hold, .rename)
      let app = try App(mount, save)
      #expect(mount.waitUntilHeld(timeoutMs: 5_000) != nil)
      try app.child.pidfd.signal(signal)
      #expect(try app.status() == .signalled(signal == SIGKILL ? 9 : signal))
      #expect(mount.held.isEmpty)
      #expect(mount.stored("/a") == nil)
    }
  }

  @Test func `keeps an operation held through a signal that its app catches`() throws {
    try withPhone { mount in
      _ = mount.arm(.hold, .rename)
      let app = try App(
        mount, "import signal\nsignal.signal(signal.SIGUSR1, lambda *a: None)\n" + save)
      let held = try #require(mount.waitUntilHeld(timeoutMs: 5_000)?.first)
      try app.child.pidfd.signal(SIGUSR1)
      #expect(try app.status(timeoutMs: 100) == nil)
      #expect(mount.held == [held])
      mount.release(held)
      #expect(try app.line() == "saved")
    }
  }

  @Test func `keeps nothing of a program that has ended once the next one starts`() throws {
    final class Memory { weak var child: ChildProcess? }
    try withPhone { mount in
      func run() throws -> Memory {
        let memory = Memory()
        var launch = ChildProcess.Launch(["true"])
        launch.descriptors = [nil, nil, nil]
        let child = try mount.supervisor.spawn(launch, role: .app, name: "short").child
        try child.wait()
        memory.child = child
        return memory
      }
      let ended = try run()
      #expect(ended.child != nil, "whoever waits for all of them finds it")
      _ = try run()
      #expect(ended.child == nil)
    }
  }

  @Test func `finds the app behind its threads and children, and kills the family`() throws {
    try withPhone { mount in
      let app = try App(
        mount,
        """
        import os, threading, time
        def work(name): open(name, 'x')
        t = threading.Thread(target=work, args=('by-thread',)); t.start(); t.join()
        if os.fork() == 0:
            work('by-child'); print('child', os.getpid()); time.sleep(60)
        time.sleep(60)
        """)
      let line = try #require(try app.line())
      let child = try #require(Int32(line.split(separator: " ")[1]))
      let pidfd = try Pidfd(process: child)
      let log = mount.withDevice { Array($0.log) }
      #expect(log.map(\.process) == [app.number, app.number])
      #expect(try mount.killApps() == ["app"])
      #expect(try app.status() == .signalled(9))
      #expect(try pidfd.waitForEnd(timeoutMs: 5_000))
    }
  }

  @Test func `never kills for the kernel's own write-back, nor a stranger`() throws {
    try withPhone { mount in
      let app = try App(
        mount,
        """
        import mmap, os
        f = os.open('m', os.O_CREAT | os.O_RDWR); os.ftruncate(f, 4096)
        m = mmap.mmap(f, 4096); m[0:3] = b'map'
        print('ready'); input()
        m.flush(); print('flushed')
        """)
      #expect(try app.line() == "ready")
      _ = mount.arm(.killAfter, .write)
      try app.go()
      #expect(try app.line() == "flushed")
      #expect(try app.status() == .exited(0))
      let writes = mount.withDevice { Array($0.log) }.filter { $0.kind == .write }
      #expect(writes.map(\.process) == [.unknown])

      // The test itself is a stranger: it lives, and the fault still waits.
      _ = mount.arm(.killAfter, .create)
      try Files.write(mount.directory + "/s", [1])
      #expect(mount.withDevice { $0.faults.entries.map(\.firedCount) } == [0, 0])
    }
  }
}
