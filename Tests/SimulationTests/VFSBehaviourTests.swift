import Device
import Ports
import SQLite
import Simulation
import TestSupport
import Testing

/// Where the suite opens its databases.
struct DatabasePlace: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let make: @Sendable () throws -> (location: DatabaseLocation, keeper: AnyObject)

  static let all = [
    DatabasePlace(testDescription: "the simulated device") {
      let files = VFSTestPhone().files(1)
      return (files.database(at: "/app.db"), files)
    },
    DatabasePlace(testDescription: "a real file") {
      let scratch = try Scratch()
      return (DatabaseLocation(vfs: nil, path: scratch.path + "/app.db"), scratch)
    },
  ]
}

@Suite struct `A database of a phone` {
  private static let modes: [Connection.JournalMode] = [
    .delete, .truncate, .persist, .wal, .memory,
  ]

  private func connect(_ location: DatabaseLocation) throws(DatabaseError) -> Connection {
    try Connection(location.path, vfs: location.vfs)
  }

  @Test(arguments: DatabasePlace.all, modes)
  func `keeps rows across connections`(
    place: DatabasePlace, mode: Connection.JournalMode
  ) throws {
    let (location, keeper) = try place.make()
    defer { withExtendedLifetime(keeper) {} }
    do {
      let database = try connect(location)
      #expect(try database.setJournalMode(mode) == mode)
      try database.run("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
      try database.run(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO t SELECT i, 'text ' || i FROM n
        """)
      try database.run("DELETE FROM t WHERE a % 3 = 0")
      try database.run("VACUUM")
    }
    let again = try connect(location)
    #expect(try again.value("SELECT count(*) FROM t") == 1334)
    #expect(try again.value("SELECT b FROM t WHERE a = 1999") == "text 1999")
    #expect(try again.integrityProblems() == [])
  }

  @Test(arguments: DatabasePlace.all, modes)
  func `undoes what was rolled back`(place: DatabasePlace, mode: Connection.JournalMode) throws {
    let (location, keeper) = try place.make()
    defer { withExtendedLifetime(keeper) {} }
    let database = try connect(location)
    try database.setJournalMode(mode)
    try database.run("PRAGMA cache_size=2")
    try database.run("CREATE TABLE t(a)")
    try database.run("INSERT INTO t VALUES(1)")
    try database.run("BEGIN")
    for _ in 0..<40 { try database.run("INSERT INTO t VALUES(randomblob(2000))") }
    try database.run("ROLLBACK")
    #expect(try database.rows("SELECT a FROM t") == [[1]])
    #expect(try database.integrityProblems() == [])
  }

  @Test(arguments: DatabasePlace.all)
  func `sorts and indexes more than its cache holds`(place: DatabasePlace) throws {
    let (location, keeper) = try place.make()
    defer { withExtendedLifetime(keeper) {} }
    let database = try connect(location)
    try database.run("PRAGMA cache_size=10")
    try database.run("PRAGMA temp_store=FILE")
    try database.run("CREATE TABLE t(a)")
    try database.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO t SELECT printf('%08d%s', i * 7919 % 5000, zeroblob(90)) FROM n
      """)
    try database.run("CREATE TEMP TABLE copy AS SELECT * FROM t ORDER BY a DESC")
    try database.run("CREATE INDEX i ON t(a)")
    #expect(try database.value("SELECT count(DISTINCT substr(a, 1, 8)) FROM copy") == 5000)
    #expect(try database.value("SELECT substr(a, 1, 8) FROM copy LIMIT 1") == "00004999")
    #expect(try database.integrityProblems() == [])
  }

  @Test(arguments: DatabasePlace.all)
  func `keeps the wait-free order of readers and a writer`(place: DatabasePlace) throws {
    let (location, keeper) = try place.make()
    defer { withExtendedLifetime(keeper) {} }
    let writer = try connect(location)
    try writer.setJournalMode(.wal)
    try writer.run("CREATE TABLE t(a)")
    let reader = try connect(location)
    try reader.run("BEGIN")
    #expect(try reader.value("SELECT count(*) FROM t") == 0)
    try writer.run("INSERT INTO t VALUES(1)")
    #expect(try reader.value("SELECT count(*) FROM t") == 0, "a reader sees its own moment")
    try reader.run("COMMIT")
    #expect(try reader.value("SELECT count(*) FROM t") == 1)
  }

  @Test(arguments: DatabasePlace.all)
  func `refuses what is no database`(place: DatabasePlace) throws {
    let (location, keeper) = try place.make()
    defer { withExtendedLifetime(keeper) {} }
    let missing = #expect(throws: DatabaseError.self) {
      _ = try Connection(location.path + "/below", vfs: location.vfs)
    }
    #expect(missing?.code == .cannotOpen)
    let absent = #expect(throws: DatabaseError.self) {
      _ = try Connection(location.path, vfs: location.vfs, mode: .readWrite)
    }
    #expect(absent?.code == .cannotOpen)
    try connect(location).run("CREATE TABLE t(a)")
    let readOnly = try Connection(location.path, vfs: location.vfs, mode: .readOnly)
    let refused = #expect(throws: DatabaseError.self) {
      try readOnly.run("INSERT INTO t VALUES(1)")
    }
    #expect(refused?.code == .readOnly)
  }

  @Test func `takes the time from the virtual clock`() throws {
    let phone = VFSTestPhone()
    try phone.files(1).makeDirectory("/data", permissions: 0o755)
    let database = try phone.connect(1)
    #expect(
      try database.value("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')")
        == "2023-11-14 22:13:20.123")
  }

  @Test func `is reached through links, under its own name`() throws {
    let phone = VFSTestPhone()
    let files = phone.files(1)
    try files.makeDirectory("/data", permissions: 0o755)
    _ = phone.box.device.perform(
      .symbolicLink(in: .root, "link", target: Array("data".utf8), Ownership(mode: 0o777)),
      by: ProcessNumber(1), at: 1)
    let location = files.database(at: "/link/app.db")
    let database = try Connection(location.path, vfs: location.vfs)
    try database.run("CREATE TABLE t(a)")
    #expect(try files.list("/data") == ["app.db"])
    #expect(try phone.connect(2).value("SELECT count(*) FROM t") == 0)
  }

  @Test func `leaves no handle open`() throws {
    let phone = try VFSTestPhone.withFirstGeneration(.walFull)
    do {
      let database = try phone.connect(1)
      try VFSTestPhone.save(2, database)
    }
    #expect(try phone.files(1).list("/data") == ["app.db"], "the last connection tidies up")
    try phone.files(1).unlink(VFSTestPhone.path)
    #expect(phone.box.device.usedBytes == 0)
    #expect(phone.box.device.checkInvariants() == [])
  }
}
