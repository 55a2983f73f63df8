import Device
import Foundation
import Linux
import Testing

@testable import Mount

extension `A mounted device` {
  @Test func `never hides an injected change behind the kernel's caches`() throws {
    try withPhone { mount in
      let app = try App(
        mount,
        """
        import os, sys, threading
        f = os.open('f', os.O_CREAT | os.O_RDWR); os.write(f, b'a' * 5000)
        def hammer():
            while True:
                os.stat('f'); os.pread(f, 5000, 0)
                with open('f', 'rb') as g: g.read()
        threading.Thread(target=hammer, daemon=True).start()
        print('ready')
        for _ in sys.stdin:
            with open('f', 'rb') as g: whole = g.read()
            print(os.pread(f, 1, 0)[0], len(whole), whole[0], os.stat('f').st_size)
        """)
      #expect(try app.line() == "ready")
      var byte = UInt8(ascii: "a")
      for round in 0..<200 {
        var length = 5000
        let inode = try mount.withDevice { device throws in
          if round % 4 == 3 {
            length = 5000 - round
            return try device.alter(.truncate(path: "/f", to: length))
          }
          byte ^= 1 << UInt8(round % 3)
          return try device.alter(.flipBit(path: "/f", byte: 0, bit: round % 3))
        }
        #expect(mount.changed([inode]).wait() == .done)
        try app.go()
        let seen = try #require(try app.line()).split(separator: " ").compactMap { Int($0) }
        let size = mount.stored("/f")?.count ?? 0
        #expect(seen == [Int(byte), size, Int(byte), size], "round \(round)")
      }
    }
  }

  @Test func `shows a folder that was put in from outside`() throws {
    try withPhone { mount in
      try Files.makeDirectory(mount.directory + "/d")
      try Files.write(mount.directory + "/d/old", [1])
      #expect(try Files.list(mount.directory + "/d") == ["old"])
      let stale = mount.withDevice { device in
        device.change { tree in
          _ = tree.remove("/d")
          tree.makeDirectory("/d", at: 1)
          tree.writeFile("/d/new", [2], mode: 0o600, at: 1)
        }
      }
      #expect(mount.changed(stale).wait() == .done)
      #expect(!Files.exists(mount.directory + "/d/old"))
      #expect(try Files.read(mount.directory + "/d/new") == [2])
    }
  }

  @Test func `runs an event while its request is parked, then applies it to what the event left`()
    throws
  {
    let events = Locked<[FaultID]>([])
    try withPhone(
      DeviceSetup(),
      { options in
        options.event = { mount, fault in
          events.withLock { $0.append(fault) }
          let stale = mount.withDevice { device in device.change { _ = $0.remove("/a") } }
          _ = mount.changed(stale)
        }
      }
    ) { mount in
      try Files.write(mount.directory + "/a", Array("kept".utf8))
      let fault = mount.arm(.event, at: .point("K1", occurrence: 1))
      let app = try App(
        mount,
        """
        import os
        print(open('a').read())
        with open('.lab/points', 'w') as p: p.write('K1\\n')
        print(os.path.exists('a'))
        """)
      #expect(try app.line() == "kept")
      #expect(try app.line() == "False")
      #expect(events.withLock { $0 } == [fault])
    }
  }

  @Test func `cuts the power from an event, without its parked request`() throws {
    try withPhone(DeviceSetup(), { $0.event = { mount, _ in _ = try? mount.powerCut(.none) } }) {
      mount in
      _ = mount.arm(.event, .makeDirectory)
      let app = try App(mount, "import os; os.mkdir('d'); print('not reached')")
      #expect(try app.status() == .signalled(9))
      #expect(try app.line() == nil)
      #expect(mount.waitUntilServing()?.map(\.refused) == [["mkdir /d"]])
      #expect(try Files.list(mount.directory) == [])
    }
  }

  @Test func `delays one answer and serves others meanwhile`() throws {
    try withPhone { mount in
      try Files.write(mount.directory + "/a", [1])
      try Files.write(mount.directory + "/b", [1])
      _ = mount.arm(.delay(milliseconds: 400), .sync, "/a")
      let app = try App(
        mount,
        """
        import os, time
        s = time.monotonic(); os.fsync(os.open('a', os.O_RDWR))
        print(time.monotonic() - s >= 0.4)
        """)
      #expect(mount.waitUntilHeld(timeoutMs: 5_000) != nil)
      let started = Clocks.monotonicNs
      #expect(
        try Machine.run("import os; os.fsync(os.open('b', os.O_RDWR))", in: mount.directory) == "")
      #expect(Clocks.monotonicNs - started < 350_000_000)
      #expect(try app.line() == "True")
    }
  }

  @Test func `forgets what a lied write left in the kernel's cache`() throws {
    try withPhone { mount in
      try Files.write(mount.directory + "/a", Array("true".utf8))
      _ = mount.arm(.lie, .write)
      let file = try Descriptor.open(mount.directory + "/a", O_RDWR)
      try file.write(Array("lies".utf8))
      #expect(mount.stored("/a") == Array("true".utf8))
      // What the fault announced is ahead of this in the queue.
      #expect(mount.changed([.root]).wait() == .done)
      #expect(try Files.read(mount.directory + "/a") == Array("true".utf8))
    }
  }

  @Test func `answers the errors and short writes of its faults`() throws {
    try withPhone { mount in
      _ = mount.arm(.error(.noSpace), .create, "/full")
      _ = mount.arm(.short(bytes: 3), .write, "/short")
      let program = """
        import os
        try: open('full', 'x')
        except OSError as e: print(e.errno)
        f = os.open('short', os.O_CREAT | os.O_RDWR)
        print(os.write(f, b'123456'), os.write(f, b'456'), os.pread(f, 10, 0))
        """
      let app = try App(mount, program)
      #expect(try app.line() == "28")
      #expect(try app.line() == "3 3 b'123456'")
    }
  }
}
