import Device
import Foundation
import Linux
import Mount
import Testing

extension `A mounted device` {
  @Test func `sends late write-back and releases to the old state`() throws {
    try withPhone { mount in
      let app = try App(
        mount,
        """
        import mmap, os
        f = os.open('m', os.O_CREAT | os.O_RDWR); os.write(f, bytes(4096)); os.fsync(f)
        d = os.open('.', os.O_RDONLY); os.fsync(d)
        m = mmap.mmap(f, 4096); m[0:4] = b'late'
        print('ready'); input()
        """)
      #expect(try app.line() == "ready")
      let old = mount.withDevice { $0.live.resolve("/m") }
      let report = try mount.powerCut(.all)
      // The mapped page is written, and two descriptors are released, after the cut.
      #expect(report.lateRequestCount >= 3)
      #expect(try Files.read(mount.directory + "/m") == [UInt8](repeating: 0, count: 4096))
      #expect(mount.withDevice { $0.live.resolve("/m") } != old)
      #expect(try app.status() == .signalled(9))
    }
  }

  @Test func `cuts the power at a fault, by itself, and serves the survivors`() throws {
    try withPhone { mount in
      _ = mount.arm(.powerCut(.none), .rename)
      let app = try App(
        mount,
        """
        import os
        def write(name):
            f = os.open(name, os.O_CREAT | os.O_WRONLY); os.write(f, b'x'); os.fsync(f)
            return name
        write('synced'); os.fsync(os.open('.', os.O_RDONLY))
        write('unsynced-name')
        os.rename('synced', 'renamed')
        print('not reached')
        """)
      #expect(try app.status() == .signalled(9))
      #expect(try app.line() == nil)
      #expect(mount.waitUntilServing(timeoutMs: 5_000)?.map(\.killed) == [["app"]])
      #expect(!(try Files.list(mount.directory).contains("renamed")))
      #expect(try Files.list(mount.directory).contains("synced"))

      // The phone starts again, without a remount.
      let next = try App(mount, "open('renamed', 'x'); print('fine')")
      #expect(try next.line() == "fine")
    }
  }

  @Test func `gives a stranger's open file of the old state ESTALE, and new names at once`() throws
  {
    try withPhone { mount in
      let path = mount.directory + "/f"
      try Files.write(path, Array("one".utf8))
      let open = try Descriptor.open(path, O_RDONLY)
      #expect(try open.read(count: 2) == Array("on".utf8))
      try mount.powerCut(.none)
      #expect(throws: SystemError.self) { try open.read(count: 2) }
      #expect(!Files.exists(path))
      try Files.write(path, Array("two".utf8))
      #expect(try Files.read(path) == Array("two".utf8))
    }
  }

  @Test func `takes the place of a used device by a fresh one with the same inode numbers`() throws
  {
    try withPhone { mount in
      for round in 0..<20 {
        let path = mount.directory + "/f"
        #expect(!Files.exists(path))
        try Files.write(path, Array("round \(round)".utf8))
        try Files.makeDirectory(mount.directory + "/d")
        try Files.write(mount.directory + "/d/inner", [UInt8(round)])
        #expect(try Files.read(path) == Array("round \(round)".utf8))
        #expect(try Files.read(mount.directory + "/d/inner") == [UInt8(round)])
        try mount.replaceDevice(with: StorageDevice(DeviceSetup()))
      }
    }
  }

  @Test func `cuts the power under a busy app a hundred times`() throws {
    try withPhone { mount in
      let program = """
        import os
        n = 0
        while True:
            f = os.open('t%d' % (n % 5), os.O_CREAT | os.O_WRONLY); os.write(f, b'x' * 5000)
            os.fsync(f); os.close(f); os.rename('t%d' % (n % 5), 'k%d' % (n % 3)); n += 1
            if n == 1: print('on')
        """
      for seed in UInt64(0)..<100 {
        let app = try App(mount, program)
        #expect(try app.line() == "on")
        let report = try mount.powerCut(.seeded(seed))
        #expect(report.killed == ["app"], "seed \(seed)")
        let listed = try Files.list(mount.directory)
        #expect(listed == mount.withDevice { $0.live.list(.root).map(\.name.description) }.sorted())
      }
      #expect(mount.toolErrors.isEmpty)
    }
  }
}
