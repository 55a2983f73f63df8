import Device
import Foundation
import Linux
import Mount
import Testing

extension `A mounted device` {
  @Test func `cuts the power in place while a rename is held`() throws {
    try withPhone { mount in
      _ = mount.arm(.hold, .rename)
      let app = try App(
        mount,
        """
        import os
        f = os.open("a.tmp", os.O_CREAT | os.O_WRONLY)
        os.write(f, b"new")
        os.fsync(f)
        d = os.open(".", os.O_RDONLY)
        os.fsync(d)
        print("ready")
        os.rename("a.tmp", "a")
        print("not reached")
        """)
      #expect(try app.line() == "ready")
      let held = try #require(mount.waitUntilHeld(timeoutMs: 5_000))
      #expect(held.map(\.words) == ["rename /a.tmp"])
      #expect(held.map(\.process) == [app.number])

      let report = try mount.powerCut(.none)

      #expect(report.killed == ["app"])
      #expect(report.refused == ["rename /a.tmp"])
      #expect(try app.status() == .signalled(9))
      #expect(try app.line() == nil)
      #expect(try Files.list(mount.directory) == ["a.tmp"])
      #expect(try Files.read(mount.directory + "/a.tmp") == Array("new".utf8))
      #expect(mount.toolErrors.isEmpty)
    }
  }
}
