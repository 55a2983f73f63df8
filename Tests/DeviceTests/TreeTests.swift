import Device
import Testing

@Suite struct `An edit of the operating system` {
  @Test func `removes a subtree, says which files, and keeps hard links elsewhere`() throws {
    var driver = Driver()
    try driver.makeDirectory("/app")
    try driver.makeDirectory("/app/sub")
    try driver.create("/app/sub/a", [1])
    try driver.create("/app/b", [2])
    try driver.link("/app/b", "/kept")
    var gone: [String] = []
    let stale = driver.device.change { gone = $0.remove("/app") }
    #expect(gone == ["/app/b", "/app/sub/a"])
    #expect(driver.image() == ["/kept": [2]])
    #expect(stale.names.contains { $0.directory == .root && $0.name == "app" })
    #expect(driver.device.checkInvariants() == [])
    _ = driver.device.change { #expect($0.remove("/none") == []) }
  }

  @Test func `removes the name that was asked for, of several`() throws {
    var driver = Driver()
    try driver.create("/a", [1])
    try driver.link("/a", "/b")
    _ = driver.device.change { #expect($0.remove("/a") == ["/a"]) }
    #expect(driver.image() == ["/b": [1]])
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `leaves an open file to its handle`() throws {
    var driver = Driver()
    let id = try driver.open("/a")
    try driver.call(.write(id, offset: 0, [1]))
    _ = driver.device.change { $0.remove("/a") }
    #expect(try driver.call(.read(id, offset: 0, count: 9)) == .data([1]))
    #expect(driver.device.checkInvariants() == [])
    try driver.call(.release(id))
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `makes directories and files, replacing what is in the way`() throws {
    var driver = Driver(capacityBytes: 1 << 20)
    try driver.create("/x", [1])
    _ = driver.device.change {
      $0.writeFile("/x/y/z", bytes(3, 5_000), mode: 0o600, at: 9)
      $0.writeFile("/x/y/z", bytes(4, 10), mode: 0o600, at: 9)
      $0.makeDirectory("/x/y", at: 9)
    }
    let folder: [UInt8]? = nil
    #expect(driver.image() == ["/x": folder, "/x/y": folder, "/x/y/z": bytes(4, 10)])
    #expect(driver.afterPowerCut().image() == driver.image(), "it is durable at once")
    #expect(driver.device.checkInvariants() == [])
  }

  @Test func `restores a subtree as it was, links and times included`() throws {
    var driver = Driver()
    try driver.makeDirectory("/app")
    try driver.create("/app/a", bytes(1, 9_000))
    try driver.link("/app/a", "/app/b")
    try driver.symbolicLink("/app/l", to: "a")
    let before = try driver.attributes("/app/a")
    let backup = driver.device.live
    let image = driver.image()
    try driver.write("/app/a", [9])
    try driver.create("/app/new")
    try driver.unlink("/app/l")
    _ = driver.device.change { $0.restore("/app", from: backup, at: 77) }
    #expect(driver.image() == image)
    #expect(try driver.id("/app/a") == driver.id("/app/b"))
    #expect(try driver.attributes("/app/a").modifiedNs == before.modifiedNs)
    #expect(driver.device.live.digest() == backup.digest())
    #expect(driver.device.checkInvariants() == [])
    let empty = Driver().device.live
    _ = driver.device.change { $0.restore("/app", from: empty, at: 78) }
    #expect(driver.image() == [:])
  }
}

@Suite struct `The digest of a volume` {
  private func digest(
    _ profile: PersistenceProfile = .strict, _ body: (inout Driver) throws -> Void
  ) rethrows -> ImageDigest {
    var driver = Driver(profile)
    try body(&driver)
    return driver.device.live.digest()
  }

  @Test func `does not depend on inode numbers, order and times`() throws {
    let one = try digest {
      try $0.create("/a", [1])
      try $0.create("/b", [2])
    }
    let other = try digest {
      try $0.create("/gone")
      try $0.unlink("/gone")
      try $0.create("/b", [2])
      try $0.create("/x", [1])
      try $0.rename("/x", "/a")
    }
    #expect(one == other)
    let hole = try digest {
      try $0.create("/a")
      try $0.truncate("/a", to: 5_000)
    }
    #expect(try digest { try $0.create("/a", bytes(0, 5_000)) } == hole)
  }

  @Test func `differs for each kind of difference`() throws {
    func file(_ content: [UInt8]) throws -> ImageDigest {
      try digest { try $0.create("/a", content) }
    }
    var digests = [
      digest { _ in }, try file([]), try file([0]), try file([1]), try file([0, 0]),
      try file(bytes(0, 4_096) + [1]), try file(bytes(0, 8_192) + [1]),
      try digest { try $0.create("/b") }, try digest { try $0.makeDirectory("/a") },
      try digest { try $0.symbolicLink("/a", to: "x") },
      try digest { try $0.symbolicLink("/a", to: "y") },
      try digest {
        try $0.makeDirectory("/a")
        try $0.create("/a/b")
      },
      try digest {
        try $0.makeDirectory("/a")
        try $0.create("/b")
      },
      try digest {
        let id = try $0.create("/a")
        try $0.call(.setExtendedAttribute(id, name: "n", [], .any))
      },
      try digest {
        let id = try $0.create("/a")
        try $0.call(.setExtendedAttribute(id, name: "n", [1], .any))
      },
    ]
    for bit in 0..<64 {
      var content = bytes(0, 16)
      content[bit / 8] = 1 << UInt8(bit % 8)
      let next = try file(content)
      if !digests.contains(next) { digests.append(next) }
    }
    #expect(Set(digests).count == 15 + 64)
  }
}
