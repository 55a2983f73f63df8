import Device
import Foundation
import Linux
import Mount
import Testing

extension `A mounted device` {
  @Test func `announces a point from any language`() throws {
    try withPhone { mount in
      let app = try App(
        mount, "import os; os.system('echo K1 > .lab/points; printf B0 >> .lab/points'); print(1)")
      #expect(try app.line() == "1")
      let points = mount.withDevice { Array($0.log) }.filter { $0.kind == .point }
      #expect(points.map(\.target) == ["K1", "B0"])
      #expect(points.map(\.process) == [app.number, app.number])
    }
  }

  @Test func `kills at a point before the write returns`() throws {
    try withPhone { mount in
      _ = mount.arm(.killAfter, at: .point("K1", occurrence: 2))
      let app = try App(
        mount,
        """
        for i in range(3):
            with open('.lab/points', 'w') as p: p.write('K1')
            print(i)
        """)
      #expect(try app.line() == "0")
      #expect(try app.line() == nil)
      #expect(try app.status() == .signalled(9))
    }
  }

  @Test(arguments: ["", "\n", "K1\nB0\n", "\u{FF}"])
  func `refuses what is not one name`(text: String) throws {
    try withPhone { mount in
      let bytes = text == "\u{FF}" ? [0xFF] : Array(text.utf8)
      let points = try Descriptor.open(mount.directory + "/.lab/points", O_WRONLY)
      if bytes.isEmpty {
        try points.write(bytes)
      } else {
        #expect(throws: SystemError.self) { try points.write(bytes) }
      }
      #expect(mount.withDevice { $0.operationCount } == 0)
    }
  }

  @Test func `shows status and operations, out of the way of the phone's own files`() throws {
    try withPhone(
      DeviceSetup(),
      { options in
        options.status = { "{\"a\":1}\n" }
        options.operations = {
          (0..<50).map { part in { String(repeating: "{\(part)}\n", count: 1_000) } }
        }
      }
    ) { mount in
      let lab = mount.directory + "/.lab"
      #expect(try Files.list(mount.directory) == [])
      #expect(try Files.list(lab) == ["operations.ndjson", "points", "status.json"])
      #expect(try Files.read(lab + "/status.json") == Array("{\"a\":1}\n".utf8))
      let operations = (0..<50).map { String(repeating: "{\($0)}\n", count: 1_000) }.joined()
      #expect(try Files.read(lab + "/operations.ndjson") == Array(operations.utf8))
      #expect(throws: SystemError.self) { try Files.write(lab + "/other", [1]) }
      #expect(throws: SystemError.self) { try Files.remove(lab + "/points") }
      #expect(throws: SystemError.self) { try Files.rename(lab, to: mount.directory + "/x") }
      #expect(throws: SystemError.self) {
        try Files.rename(lab + "/points", to: mount.directory + "/x")
      }
      try Files.write(mount.directory + "/mine", [1])
      #expect(throws: SystemError.self) { try Files.rename(mount.directory + "/mine", to: lab) }
      #expect(throws: SystemError.self) { try Files.makeDirectory(lab) }
      #expect(try Files.list(mount.directory) == ["mine"])
    }
  }
}
