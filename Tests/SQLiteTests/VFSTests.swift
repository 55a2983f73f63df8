import Testing

@testable import SQLite

/// A file system of three lines: names and bytes.
private final class ShelfSystem: VirtualFileSystem {
  var files: [String: MemoryFile] = [:]
  var isReadOnly = false
  /// What the next calls answer.
  var failure: VFSError?
  var nowMs: Int64 = 86_400_000
  private(set) var sleptMicroseconds = 0

  func open(_ path: String, _ opening: VFSOpening) throws(VFSError) -> any VirtualFile {
    guard let file = files[path] ?? (opening.creates ? MemoryFile() : nil) else {
      throw .cannotOpen
    }
    files[path] = file
    return ShelfFile(self, file)
  }

  func delete(_ path: String, syncingDirectory: Bool) throws(VFSError) {
    guard files.removeValue(forKey: path) != nil else { throw .deleteMissing }
  }

  func hasContent(at path: String) -> Bool { files[path].map { $0.sizeBytes() > 0 } ?? false }
  func isWritable(_ path: String) -> Bool { files[path] != nil && !isReadOnly }
  func fullPath(of path: String) -> String { "/shelf/" + path }
  func randomBytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 4, count: count) }
  func sleep(microseconds: Int) { sleptMicroseconds += microseconds }
}

private final class ShelfFile: VirtualDatabaseFile {
  private let system: ShelfSystem
  private let file: MemoryFile
  private(set) var lockLevel = LockLevel.none
  let hasMoved = false

  init(_ system: ShelfSystem, _ file: MemoryFile) {
    self.system = system
    self.file = file
  }

  private func check() throws(VFSError) {
    if let failure = system.failure { throw failure }
  }

  var isReadOnly: Bool { system.isReadOnly }
  func close() {}
  func read(at offset: Int, count: Int) throws(VFSError) -> [UInt8] {
    try check()
    return file.read(at: offset, count: count)
  }
  func write(_ bytes: [UInt8], at offset: Int) throws(VFSError) {
    try check()
    file.write(bytes, at: offset)
  }
  func truncate(to length: Int) { file.truncate(to: length) }
  func sync() throws(VFSError) { try check() }
  func sizeBytes() -> Int { file.sizeBytes() }
  func lock(_ level: LockLevel) throws(VFSError) {
    try check()
    lockLevel = level
  }
  func unlock(to level: LockLevel) { lockLevel = level }
  func isReserved() -> Bool { false }
  func mapIndex(
    throughRegion region: Int, regionBytes: Int, extending: Bool
  ) throws(VFSError) -> SharedMemoryMap? { throw .indexMap }
  func lockIndex(_ slots: UInt16, exclusively: Bool) throws(VFSError) { throw .indexLock }
  func unlockIndex(_ slots: UInt16) {}
  func unmapIndex(deletingFile: Bool) {}
}

@Suite struct `A file system of ours` {
  private let shelf = ShelfSystem()

  private func connect(
    _ mode: OpenMode = [.readWrite, .create]
  ) throws(DatabaseError) -> Connection {
    // The name is needed to open, and no longer.
    let registered = RegisteredFileSystem(shelf, prefix: "shelf")
    return try Connection("a.db", vfs: registered.name, mode: mode)
  }

  @Test func `holds a database`() throws {
    do {
      let database = try connect()
      try database.run("CREATE TABLE t(a)")
      try database.run("INSERT INTO t VALUES(1)")
    }
    #expect(Array(shelf.files.keys) == ["/shelf/a.db"], "the journal is gone")
    #expect(try connect().value("SELECT a FROM t") == 1)
    #expect(try connect().integrityProblems() == [])
  }

  @Test func `is found by its own name, for as long as somebody has it`() throws {
    let other = RegisteredFileSystem(ShelfSystem(), prefix: "shelf")
    var registered: RegisteredFileSystem? = RegisteredFileSystem(shelf, prefix: "shelf")
    let name = try #require(registered?.name)
    #expect(name != other.name)
    do {
      let database = try Connection("a.db", vfs: name)
      registered = nil
      try database.run("CREATE TABLE t(a)")
      #expect(shelf.files.count == 1, "an open database goes on")
    }
    let failure = #expect(throws: DatabaseError.self) { _ = try Connection("a.db", vfs: name) }
    #expect(failure?.message == "no such vfs: \(name)")
  }

  @Test func `gives SQLite its errors`() throws {
    let database = try connect()
    try database.run("CREATE TABLE t(a)")
    let expected: [(VFSError, Int32)] = [
      (.full, 13), (.write, 10 | 3 << 8), (.busy, 5), (.damagedMedium, 11), (.read, 10 | 1 << 8),
    ]
    for (failure, code) in expected {
      shelf.failure = failure
      let error = #expect(throws: DatabaseError.self) {
        try database.run("INSERT INTO t VALUES(1)")
      }
      #expect(error?.extendedCode == code, "\(failure)")
      shelf.failure = nil
    }
    #expect(try database.value("SELECT count(*) FROM t") == 0)
  }

  @Test func `may refuse to be written`() throws {
    try connect().run("CREATE TABLE t(a)")
    shelf.isReadOnly = true
    let database = try connect()
    #expect(try database.value("SELECT count(*) FROM t") == 0)
    let error = #expect(throws: DatabaseError.self) { try database.run("INSERT INTO t VALUES(1)") }
    #expect(error?.code == .readOnly)
  }

  @Test func `tells the time, and waits`() throws {
    let database = try connect()
    #expect(try database.value("SELECT datetime('now')") == "1970-01-02 00:00:00")
    #expect(try database.value("SELECT date('now', '+1 day')") == "1970-01-03")
    try database.run("CREATE TABLE t(a)")
    shelf.failure = .busy
    database.waitForLocks(milliseconds: 300)
    #expect(throws: DatabaseError.self) { try database.run("INSERT INTO t VALUES(1)") }
    #expect(shelf.sleptMicroseconds == 300_000)
  }

  @Test func `keeps temporary files to itself`() throws {
    let database = try connect()
    try database.run("PRAGMA temp_store=FILE")
    try database.run("PRAGMA temp.cache_size=2")
    try database.run("CREATE TEMP TABLE t(a)")
    for _ in 0..<50 { try database.run("INSERT INTO t VALUES(zeroblob(3000))") }
    #expect(try database.value("SELECT sum(length(a)) FROM t") == 150_000)
    #expect(Array(shelf.files.keys) == ["/shelf/a.db"])
  }
}

@Suite struct `Memory that connections share` {
  private func write(_ byte: UInt8, _ map: SharedMemoryMap) {
    unsafe map.address(ofRegion: 1)?.storeBytes(of: byte, as: UInt8.self)
  }

  private func read(_ map: SharedMemoryMap) -> UInt8? {
    unsafe map.address(ofRegion: 1)?.load(as: UInt8.self)
  }

  @Test func `is one for all, until one is cut off`() throws {
    let memory = try SharedMemory()
    let maps = [SharedMemoryMap(memory), SharedMemoryMap(memory)]
    for map in maps { try map.map(throughRegion: 1, regionBytes: 32_768) }
    write(7, maps[0])
    #expect(maps.map(read) == [7, 7])
    try maps[0].cutOff()
    #expect(maps.map(read) == [7, 7], "with a copy of what was there")
    write(8, maps[0])
    #expect(maps.map(read) == [8, 7])
    #expect(memory.sizeBytes == 65_536)
  }
}
