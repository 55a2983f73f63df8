import Device
import Foundation
import Glibc
import Images
import SQLite
import Testing

@Suite struct `The operation log of an image` {
  private let folder: URL
  private let path: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "lab-log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "phone.image").path
  }

  private func removeFolder() throws {
    try FileManager.default.removeItem(at: folder)
  }

  private func storedLog() throws -> OperationLog {
    try ImageFile(at: path, creating: false).loadLog()
  }

  /// The device of the file, as a new start of the lab finds it.
  private func reopened() throws -> StorageDevice {
    try #require(try ImageFile(at: path, creating: false).load()).device
  }

  @Test func `holds what was done up to the last save, in order`() throws {
    var device = workDevice()
    let file = try ImageFile(at: path, creating: true)
    #expect(try file.loadLog().endIndex == 0 && file.oldestOperation() == nil)
    for count in [3, 1, 0, 2_000, 7, 1_500] {
      work(on: &device, count)
      try file.save(Image(device: device))
      #expect(try Array(file.loadLog()) == Array(device.log))
    }
    let saved = Array(device.log)
    work(on: &device, 5)
    #expect(try Array(file.loadLog()) == saved && saved.count == 3_511)
    #expect(try file.oldestOperation() == saved.first)
    try removeFolder()
  }

  @Test func `goes on when the image is opened again, and memory begins there`() throws {
    var endless = workDevice()
    var device = endless
    for count in [10, 1_200, 0, 90] {
      work(on: &device, count)
      work(on: &endless, count)
      do {
        let file = try ImageFile(at: path, creating: true)
        try file.save(Image(device: device))
      }
      device = try reopened()
      #expect(device.log.firstIndex == endless.log.endIndex)
      #expect(Array(device.log) == [] && device.operationCount == endless.operationCount)
      #expect(try Array(storedLog()) == Array(endless.log))
    }
    try removeFolder()
  }

  /// The child dies while one save follows the other, each with some hundred new operations.
  @Test(arguments: [1, 2, 3])
  func `has no gap after a kill at any moment`(saveCount: Int) async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, saveCount] in
      var device = workDevice()
      let file = try ImageFile(at: path, creating: true)
      for save in 0... {
        work(on: &device, 300)
        if save == saveCount { Thread { kill(getpid(), SIGKILL) }.start() }
        try file.save(Image(device: device))
      }
    }
    let device = try reopened()
    var expected = workDevice()
    work(on: &expected, device.operationCount)
    #expect(device.operationCount >= 300 * saveCount)
    #expect(try Array(storedLog()) == Array(expected.log))
    try removeFolder()
  }

  /// A save while the power is being cut holds what the dead did late; the device has none of it.
  @Test func `follows a device that goes back`() throws {
    var device = workDevice()
    work(on: &device, 1_500)
    let file = try ImageFile(at: path, creating: true)
    var late = device
    work(on: &late, 1_000)
    try file.save(Image(device: late))
    _ = device.perform(.point("after"), by: ProcessNumber(9), at: 5)
    work(on: &device, 700)
    try file.save(Image(device: device))
    #expect(try Array(file.loadLog()) == Array(device.log))
    #expect(Array(device.log) != Array(late.log.prefix(device.log.endIndex)))
    try removeFolder()
  }

  @Test func `says where it begins when memory could not hold what was not saved`() throws {
    var device = workDevice(logLimit: 100)
    let file = try ImageFile(at: path, creating: true)
    work(on: &device, 200)
    try file.save(Image(device: device))
    #expect(try file.oldestOperation()?.number == OperationNumber(1))
    work(on: &device, 5_000)
    #expect(device.log.firstIndex > 200)
    try file.save(Image(device: device))
    let log = try file.loadLog()
    #expect(Array(log) == Array(device.log) && log.endIndex == device.operationCount)
    #expect(try file.oldestOperation()?.number == OperationNumber(log.firstIndex + 1))
    try removeFolder()
  }

  @Test func `is kept whole when memory holds less`() throws {
    var (device, endless) = (workDevice(logLimit: 100), workDevice())
    let file = try ImageFile(at: path, creating: true)
    for _ in 0..<50 {
      work(on: &device, 100)
      work(on: &endless, 100)
      try file.save(Image(device: device))
    }
    #expect(device.log.firstIndex > 0)
    #expect(try Array(file.loadLog()) == Array(endless.log))
    try removeFolder()
  }

  @Test func `begins with the first save of an image that had none`() throws {
    var device = workDevice()
    work(on: &device, 100)
    do { try ImageFile(at: path, creating: true).save(Image(device: device)) }
    do {
      let former = try Connection(path)
      try former.run("DROP TABLE operations")
      try former.setUserVersion(1)
    }
    device = try reopened()
    #expect(try device.operationCount == 100 && storedLog().endIndex == 0)
    work(on: &device, 10)
    do { try ImageFile(at: path, creating: false).save(Image(device: device)) }
    #expect(try storedLog().map(\.number.number) == Array(101...110))
    try removeFolder()
  }

  @Test(arguments: [
    ("UPDATE operations SET bytes=zeroblob(9) WHERE first=0", false),
    ("UPDATE operations SET sum=sum+1 WHERE first=0", false),
    ("DELETE FROM operations WHERE first>0 AND count>1", false),
    ("UPDATE operations SET first=first+1 WHERE count=1", true),
    ("UPDATE operations SET count='x' WHERE count=1", true),
  ]) func `is refused when it is damaged, and its end keeps the image from being opened`(
    sql: String, isAtEnd: Bool
  ) throws {
    var device = workDevice()
    work(on: &device, 3_000)
    do {
      let file = try ImageFile(at: path, creating: true)
      try file.save(Image(device: device))
      let device = try #require(try file.load()).device
      var next = device
      work(on: &next, 1)
      try file.save(Image(device: next))
    }
    #expect(try storedLog().endIndex == 3_001)
    do { #expect(try Connection(path).run(sql) > 0) }
    #expect(throws: ImageError.self) { try storedLog() }
    if isAtEnd {
      #expect(throws: ImageError.self) { try reopened() }
    } else {
      #expect(try reopened().log.firstIndex == 3_001)
    }
    try removeFolder()
  }
}

private func workDevice(logLimit: Int = 1_000_000) -> StorageDevice {
  var setup = DeviceSetup()
  setup.restProfile = .posixWeak
  setup.logLimit = logLimit
  return StorageDevice(setup)
}

/// Does so many operations, which depend on nothing but how many were done before.
private func work(on device: inout StorageDevice, _ count: Int) {
  for _ in 0..<count {
    let number = device.operationCount
    let name = FileName("file\(number % 40 / 4)")
    let file = device.live.child(name, of: .root)
    let request: Request =
      switch (number % 4, file) {
      case (0, nil): .makeNode(in: .root, name, .file, Ownership(mode: 0o600))
      case (1, let file?): .write(file, offset: number % 60, [UInt8(number % 251)])
      case (2, let file?): .sync(file, dataOnly: false)
      case (3, _): .unlink(in: .root, name)
      default: .point("P\(number)")
      }
    _ = device.perform(request, by: ProcessNumber(3), at: Int64(number))
  }
}
