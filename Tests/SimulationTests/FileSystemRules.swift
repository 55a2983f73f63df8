import Device
import Foundation
import Machine
import Ports
import Simulation
import Testing

/// A file system to hold to the rules, and a name for messages.
struct Subject: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let make: @Sendable () throws -> any FileSystem

  static let simulated = Subject(testDescription: "the simulated device") {
    DeviceFileSystem(DeviceBox(StorageDevice(DeviceSetup())) { 1_000 }, process: ProcessNumber(5))
  }

  static let all = [
    simulated,
    Subject(testDescription: "a directory of this machine") {
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "lab-simulation-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return PosixFileSystem(root: folder.path)
    },
  ]
}

/// What the phone's libraries rely on, the same on every file system.
@Suite struct `The files of a phone` {
  private func code(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return 0
    } catch {
      return (error as? FileError)?.code ?? -1
    }
  }

  private func make(_ files: any FileSystem, _ path: String, _ bytes: [UInt8] = []) throws {
    let file = try files.open(path, .replace, permissions: 0o600)
    defer { files.close(file) }
    if !bytes.isEmpty { #expect(try files.write(file, bytes, at: 0) == bytes.count) }
  }

  private func read(_ files: any FileSystem, _ path: String) throws -> [UInt8] {
    let file = try files.open(path, .read, permissions: 0)
    defer { files.close(file) }
    return try files.read(file, at: 0, count: 100_000)
  }

  private func finish(_ files: any FileSystem) throws {
    guard let files = files as? PosixFileSystem else { return }
    try FileManager.default.removeItem(atPath: files.root)
  }

  @Test(arguments: Subject.all) func `are opened as the mode says`(subject: Subject) throws {
    let files = try subject.make()
    #expect(code { _ = try files.open("/a", .read, permissions: 0) } == FileError.noEntry)
    #expect(code { _ = try files.open("/a", .readWrite, permissions: 0) } == FileError.noEntry)
    #expect(code { _ = try files.open("/x/a", .replace, permissions: 0o600) } == FileError.noEntry)
    try make(files, "/a", [1, 2, 3])
    #expect(code { _ = try files.open("/a", .createNew, permissions: 0o600) } == FileError.exists)
    #expect(code { _ = try files.open("/a/b", .read, permissions: 0) } == 20)
    try make(files, "/a", [9])
    #expect(try read(files, "/a") == [9], "replacing truncates")
    let fresh = try files.open("/b", .createNew, permissions: 0o600)
    files.close(fresh)
    #expect(try files.list("/") == ["a", "b"])
    let readOnly = try files.open("/a", .read, permissions: 0)
    #expect(code { _ = try files.write(readOnly, [1], at: 0) } == 9)
    files.close(readOnly)
    try finish(files)
  }

  @Test(arguments: Subject.all) func `read, write, truncate and sync at offsets`(
    subject: Subject
  ) throws {
    let files = try subject.make()
    try make(files, "/a", [1, 2, 3])
    let file = try files.open("/a", .readWrite, permissions: 0)
    #expect(try files.write(file, [7], at: 6_000) == 1)
    #expect(try files.read(file, at: 5_998, count: 9) == [0, 0, 7])
    #expect(try files.read(file, at: 9_000, count: 9) == [])
    try files.truncate(file, to: 2)
    try files.truncate(file, to: 4)
    #expect(try files.read(file, at: 0, count: 9) == [1, 2, 0, 0])
    try files.sync(file)
    #expect(try files.status("/a").sizeBytes == 4)
    try files.unlink("/a")
    #expect(try files.read(file, at: 0, count: 2) == [1, 2], "an open file outlives its name")
    files.close(file)
    try finish(files)
  }

  /// On a machine the number may be another file's by then.
  @Test func `are refused by the simulated device once they are closed`() throws {
    let files = try Subject.simulated.make()
    let file = try files.open("/a", .createNew, permissions: 0o600)
    files.close(file)
    #expect(code { _ = try files.read(file, at: 0, count: 1) } == 9)
  }

  @Test(arguments: Subject.all) func `have names that move and go`(subject: Subject) throws {
    let files = try subject.make()
    try files.makeDirectory("/d", permissions: 0o755)
    #expect(code { try files.makeDirectory("/d", permissions: 0o755) } == FileError.exists)
    try make(files, "/d/a", [1])
    try make(files, "/d/b", [2])
    #expect(code { try files.removeDirectory("/d") } == 39)
    try files.rename("/d/a", to: "/d/b")
    #expect(try files.list("/d") == ["b"])
    #expect(try read(files, "/d/../d/./b") == [1])
    #expect(code { try files.rename("/d/none", to: "/d/b") } == FileError.noEntry)
    #expect(code { try files.unlink("/d") } == 21)
    #expect(code { try files.removeDirectory("/d/b") } == 20)
    #expect(code { _ = try files.list("/d/b") } == 20)
    try files.syncDirectory("/d")
    #expect(try files.status("/d").kind == .directory)
    #expect(try files.status("/d/b").kind == .file)
    try files.unlink("/d/b")
    try files.removeDirectory("/d")
    #expect(code { _ = try files.status("/d") } == FileError.noEntry)
    try finish(files)
  }

  @Test(arguments: Subject.all) func `name the call and the path in an error`(
    subject: Subject
  ) throws {
    let files = try subject.make()
    #expect(throws: FileError(call: "open", path: "/none", code: 2)) {
      try files.open("/none", .read, permissions: 0)
    }
    #expect(throws: FileError(call: "unlink", path: "/none", code: 2)) {
      try files.unlink("/none")
    }
    try finish(files)
  }
}
