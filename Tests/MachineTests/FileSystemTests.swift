import Foundation
import Machine
import Ports
import TestSupport
import Testing

@Suite struct `The files of a directory of this machine` {
  let scratch: Scratch
  let files: PosixFileSystem

  init() throws {
    scratch = try Scratch()
    files = PosixFileSystem(root: "\(scratch.path)/")
  }

  private func make(_ path: String, _ bytes: [UInt8]) throws {
    let file = try files.open(path, .replace, permissions: 0o600)
    defer { files.close(file) }
    #expect(try files.write(file, bytes, at: 0) == bytes.count)
  }

  @Test func `lie under the root by their paths on the phone`() throws {
    try files.makeDirectory("/private", permissions: 0o755)
    try make("/private/a", [1, 2, 3])
    #expect(try scratch.bytes(of: "private/a") == [1, 2, 3])
    #expect(files.root == scratch.path)
  }

  @Test func `read and write at offsets, and end where they end`() throws {
    try make("/a", [1, 2, 3])
    let file = try files.open("/a", .readWrite, permissions: 0)
    defer { files.close(file) }
    #expect(try files.write(file, [9], at: 5) == 1)
    #expect(try files.read(file, at: 1, count: 100) == [2, 3, 0, 0, 9])
    #expect(try files.read(file, at: 6, count: 1) == [])
    try files.truncate(file, to: 2)
    #expect(try files.read(file, at: 0, count: 9) == [1, 2])
    try files.sync(file)
  }

  @Test func `open as they are told`() throws {
    #expect(throws: FileError(call: "open", path: "/a", code: FileError.noEntry)) {
      try files.open("/a", .read, permissions: 0)
    }
    files.close(try files.open("/a", .createNew, permissions: 0o600))
    #expect(throws: FileError(call: "open", path: "/a", code: FileError.exists)) {
      try files.open("/a", .createNew, permissions: 0o600)
    }
    let file = try files.open("/a", .read, permissions: 0)
    defer { files.close(file) }
    #expect(throws: FileError.self) { try files.write(file, [1], at: 0) }
  }

  @Test func `take over a name at a rename`() throws {
    try make("/a", [1])
    try make("/b", [2])
    try files.rename("/a", to: "/b")
    #expect(try files.list("/") == ["b"])
    #expect(try scratch.bytes(of: "b") == [1])
    try files.unlink("/b")
    #expect(throws: FileError.self) { try files.status("/b") }
  }

  @Test func `are listed by their bytes, and have kinds and times`() throws {
    for name in ["b", "a", "Z", "ö"] { try make("/\(name)", []) }
    try files.makeDirectory("/d", permissions: 0o700)
    #expect(try files.list("/") == ["Z", "a", "b", "d", "ö"])
    #expect(try files.status("/d").kind == .directory)
    let status = try files.status("/a")
    #expect(status.kind == .file)
    #expect(status.modifiedNs > 1_000_000_000_000_000_000)
    try files.syncDirectory("/")
    try files.removeDirectory("/d")
  }

  @Test func `say which attributes the file system knows`() throws {
    try make("/a", [])
    let file = try files.open("/a", .readWrite, permissions: 0)
    defer { files.close(file) }
    #expect(throws: FileError.self) {
      try files.setAttribute("not.a.namespace", [1], of: file)
    }
  }
}

@Suite struct `Random bytes` {
  @Test func `from a seed are the same for the same seed and stream, and no others`() {
    func draw(_ seed: UInt64, _ stream: String) -> [UInt8] {
      SeededEntropy(seed: seed, stream: stream).bytes(40)
    }
    #expect(draw(1, "a") == draw(1, "a"))
    #expect(draw(1, "a") != draw(2, "a"))
    #expect(draw(1, "a") != draw(1, "b"))
    #expect(draw(1, "a").count == 40)
  }

  @Test func `from the kernel have the length that was asked for, and differ`() {
    let entropy = SystemEntropy()
    #expect(entropy.bytes(0).isEmpty)
    #expect(entropy.bytes(1000).count == 1000)
    #expect(entropy.bytes(32) != entropy.bytes(32))
  }
}
