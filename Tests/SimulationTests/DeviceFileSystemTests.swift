import Device
import Ports
import Simulation
import Testing

@Suite struct `A process on a simulated device` {
  private let first = ProcessNumber(5)
  private let second = ProcessNumber(6)

  private func makeBox() -> DeviceBox {
    DeviceBox(StorageDevice(DeviceSetup())) { 1_000 }
  }

  private func write(_ files: DeviceFileSystem, _ path: String, _ bytes: [UInt8]) throws {
    let file = try files.open(path, .replace, permissions: 0o600)
    defer { files.close(file) }
    _ = try files.write(file, bytes, at: 0)
  }

  @Test func `is gone after a kill, while others go on`() throws {
    let box = makeBox()
    let files = DeviceFileSystem(box, process: first)
    let others = DeviceFileSystem(box, process: second)
    _ = box.device.arm(
      ArmedFault(
        name: "kill", trigger: .call(.write, path: PathPattern("a"), occurrence: 1),
        effect: .killAfter))
    #expect(throws: FileError(call: "write", path: "/a", code: FileError.inputOutput)) {
      try write(files, "/a", [1])
    }
    #expect(files.isGone && !others.isGone)
    #expect(throws: FileError(call: "stat", path: "/a", code: FileError.inputOutput)) {
      try files.status("/a")
    }
    #expect(try others.status("/a").sizeBytes == 1, "the write was applied")
    #expect(box.takeConsequences() == [.kill(first)])
    #expect(box.takeConsequences() == [])
  }

  @Test func `does not write before a kill that comes first`() throws {
    let box = makeBox()
    let files = DeviceFileSystem(box, process: first)
    _ = box.device.arm(
      ArmedFault(
        name: "kill", trigger: .call(.write, path: PathPattern("a"), occurrence: 1),
        effect: .killBefore))
    #expect(throws: FileError.self) { try write(files, "/a", [1]) }
    #expect(try DeviceFileSystem(box, process: second).status("/a").sizeBytes == 0)
  }

  @Test func `loses what was not synced when the power goes, and starts again`() throws {
    let box = makeBox()
    let files = DeviceFileSystem(box, process: first)
    try write(files, "/a", [1])
    let file = try files.open("/a", .readWrite, permissions: 0)
    try files.sync(file)
    _ = box.device.arm(
      ArmedFault(
        name: "power-cut", trigger: .call(.write, path: PathPattern("a"), occurrence: 1),
        effect: .powerCut(.none)))
    #expect(throws: FileError.self) { try files.write(file, [2], at: 0) }
    let others = DeviceFileSystem(box, process: second)
    #expect(files.isGone && others.isGone)
    #expect(box.takeConsequences() == [.powerCut(.none)])
    box.restart(after: .none, ending: [first, second])
    #expect(files.isGone && others.isGone)
    let next = DeviceFileSystem(box, process: ProcessNumber(7))
    let again = try next.open("/a", .read, permissions: 0)
    #expect(try next.read(again, at: 0, count: 9) == [1])
  }

  @Test func `waits for an event of the operating system, then goes on`() throws {
    let box = makeBox()
    let files = DeviceFileSystem(box, process: first)
    try write(files, "/a", [1])
    let fault = box.device.arm(
      ArmedFault(
        name: "seal", trigger: .call(.unlink, path: PathPattern("a"), occurrence: 1),
        effect: .event))
    var seen: [FaultID] = []
    box.onEvent = { id, box in
      seen.append(id)
      _ = box.device.change { $0.writeFile("/made", [2], mode: 0o600, at: 3) }
    }
    try files.unlink("/a")
    #expect(seen == [fault])
    #expect(try files.list("/") == ["made"])
  }

  @Test func `follows links, and not for ever`() throws {
    let box = makeBox()
    let files = DeviceFileSystem(box, process: first)
    try files.makeDirectory("/private", permissions: 0o755)
    try files.makeDirectory("/private/var", permissions: 0o755)
    for (name, target) in [("var", "private/var"), ("loop", "loop"), ("late", "/var/made")] {
      _ = box.device.perform(
        .symbolicLink(
          in: .root, FileName(name), target: Array(target.utf8), Ownership(mode: 0o777)),
        by: first, at: 1)
    }
    try write(files, "/var/x", [1])
    #expect(try files.list("/private/var") == ["x"])
    try write(files, "/late", [2])
    #expect(try files.list("/var") == ["made", "x"])
    #expect(throws: FileError(call: "stat", path: "/loop", code: 40)) { try files.status("/loop") }
    #expect(throws: FileError(call: "open", path: "/loop", code: 40)) {
      try files.open("/loop", .replace, permissions: 0o600)
    }
  }

  @Test func `keeps attributes, and names a VFS for SQLite`() throws {
    let box = makeBox()
    let files = DeviceFileSystem(box, process: first)
    let file = try files.open("/a", .replace, permissions: 0o600)
    try files.setAttribute("com.apple.TextEncoding", [1], of: file)
    let id = try #require(box.device.live.resolve("/a"))
    let answer = box.device.perform(
      .extendedAttribute(id, name: "com.apple.TextEncoding"), by: first, at: 1
    ).answer
    guard case .reply(.success(.data(let value))) = answer else {
      Issue.record("no attribute")
      return
    }
    #expect(value == [1])
    let location = files.database(at: "/db")
    #expect(location.path == "/db" && location.vfs?.hasPrefix("lab-device-") == true)
    #expect(box.device.checkInvariants() == [])
  }
}
