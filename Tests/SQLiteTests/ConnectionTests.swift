import Foundation
import SQLite
import TestSupport
import Testing

@Suite(.serialized) struct `A database connection` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private var file: String { "\(scratch.path)/a.db" }

  @Test func `gives back every class of value that was bound`() throws {
    let database = try Connection(file)
    try database.run("CREATE TABLE t(a, b, c, d, e, f, g)")
    let values: [DatabaseValue] = [
      .null, .integer(.min), .real(1.5), .text("a\u{0}ö😀"), .blob([0, 255]), .text(""), .blob([]),
    ]
    _ = try database.rows("INSERT INTO t VALUES(?, ?, ?, ?, ?, ?, ?)", values)
    #expect(try database.rows("SELECT * FROM t") == [values])
  }

  @Test func `runs one statement again with other values`() throws {
    let database = try Connection(file)
    try database.run("CREATE TABLE t(a)")
    var insert = try database.prepare("INSERT INTO t VALUES(?)")
    for number in Int64(1)...3 {
      try insert.bind([.integer(number)])
      #expect(try !insert.step())
    }
    #expect(try database.value("SELECT sum(a) FROM t") == 6)
  }

  @Test func `runs a kept query on what is there now`() throws {
    let database = try Connection(file)
    try database.run("CREATE TABLE t(a)")
    let query = "SELECT * FROM t WHERE a > ?"
    #expect(try database.rows(of: query, [0]) == [])
    try database.run("INSERT INTO t VALUES(1), (2)")
    #expect(try database.rows(of: query, [0]) == [[1], [2]])
    #expect(try database.rows(of: query, [1]) == [[2]])
    try database.run("ALTER TABLE t ADD COLUMN b")
    #expect(try database.rows(of: query, [1]) == [[2, .null]])
    try database.run("DROP TABLE t")
    #expect(throws: DatabaseError.self) { try database.rows(of: query, [0]) }
    try database.run("CREATE TABLE t(a)")
    #expect(try database.rows(of: query, [0]) == [])
  }

  @Test func `closes a database of which it has kept a query`() throws {
    do {
      let database = try Connection(file)
      try database.setJournalMode(.wal)
      try database.run("CREATE TABLE t(a)")
      #expect(try database.rows(of: "SELECT * FROM t", []) == [])
      #expect(FileManager.default.fileExists(atPath: "\(file)-wal"))
    }
    // The last connection that closes takes the WAL away.
    #expect(!FileManager.default.fileExists(atPath: "\(file)-wal"))
  }

  @Test func `keeps what a transaction committed`() throws {
    let database = try Connection(file)
    try database.run("CREATE TABLE t(a)")
    try database.transaction(.exclusive) { (connection) throws(DatabaseError) in
      try connection.run("INSERT INTO t VALUES(1)")
    }
    #expect(try Connection(file).value("SELECT count(*) FROM t") == 1)
  }

  @Test func `undoes a transaction that failed half way`() throws {
    let database = try Connection(file)
    try database.run("CREATE TABLE t(a UNIQUE)")
    let failure = #expect(throws: DatabaseError.self) {
      try database.transaction(.exclusive) { (connection) throws(DatabaseError) in
        try connection.run("INSERT INTO t VALUES(1)")
        try connection.run("INSERT INTO t VALUES(1)")
      }
    }
    #expect(failure?.extendedCode == DatabaseError.uniqueConstraint)
    let isOver = database.isAutocommitting
    #expect(isOver)
    #expect(try database.value("SELECT count(*) FROM t") == 0)
  }

  @Test func `names the statement, and no value, in an error`() throws {
    let database = try Connection(file)
    try database.run("CREATE TABLE t(a UNIQUE)")
    try database.run("INSERT INTO t VALUES(?)", "secret")
    let failure = #expect(throws: DatabaseError.self) {
      try database.run("INSERT INTO t VALUES(?)", "secret")
    }
    let text = failure?.description ?? ""
    #expect(text.contains("step of INSERT INTO t VALUES(?)"))
    #expect(!text.contains("secret"))
  }

  @Test func `refuses text that is not SQL, and no text`() throws {
    let database = try Connection(file)
    #expect(throws: DatabaseError.self) { _ = try database.run("SELEC 1") }
    #expect(throws: DatabaseError.self) { _ = try database.run("  ") }
  }

  @Test func `refuses a wrong number of values`() throws {
    let database = try Connection(file)
    let failure = #expect(throws: DatabaseError.self) { try database.run("SELECT ?", 1, 2) }
    #expect(failure?.code == .range)
  }

  @Test func `does not create a missing file when not asked to`() throws {
    let failure = #expect(throws: DatabaseError.self) {
      _ = try Connection(file, mode: .readWrite)
    }
    #expect(failure?.code == .cannotOpen)
    #expect(failure?.call == "open")
  }

  @Test func `refuses a VFS that nobody registered`() throws {
    #expect(throws: DatabaseError.self) { _ = try Connection(file, vfs: "nobody") }
  }

  @Test func `is busy while another one writes`() throws {
    let first = try Connection(file)
    try first.run("CREATE TABLE t(a)")
    let second = try Connection(file)
    second.waitForLocks(milliseconds: 1)
    try first.transaction(.exclusive) { (_) throws(DatabaseError) in
      let failure = #expect(throws: DatabaseError.self) {
        try second.run("INSERT INTO t VALUES(1)")
      }
      #expect(failure?.code == .busy)
    }
    try second.run("INSERT INTO t VALUES(1)")
  }

  @Test func `finds a sound file sound and a damaged one damaged`() throws {
    do {
      let database = try Connection(file)
      try database.run("CREATE TABLE t(a)")
      try database.run("CREATE INDEX i ON t(a)")
      try database.transaction(.immediate) { (connection) throws(DatabaseError) in
        for number in Int64(0)..<200 {
          try connection.run("INSERT INTO t VALUES(?)", .integer(number))
        }
      }
      #expect(try database.integrityProblems().isEmpty)
    }
    var bytes = try scratch.bytes(of: "a.db")
    for index in 4096..<5000 { bytes[index] = 0 }
    try Data(bytes).write(to: URL(filePath: file))
    let damaged = try Connection(file)
    #expect(try !damaged.integrityProblems().isEmpty)
  }

  @Test func `calls a file of another kind no database`() throws {
    try Data(repeating: 65, count: 5000).write(to: URL(filePath: file))
    let database = try Connection(file)
    let failure = #expect(throws: DatabaseError.self) { try database.value("SELECT 1 FROM t") }
    #expect(failure?.code == .notADatabase)
  }

  @Test func `sets the pragmas that decide about durability`() throws {
    let database = try Connection(file)
    try database.setAutoVacuum(.incremental)
    #expect(try database.setJournalMode(.wal) == .wal)
    for (mode, number) in zip(Connection.Synchronous.allCases, Int64(0)...3) {
      try database.setSynchronous(mode)
      #expect(try database.value("PRAGMA synchronous") == .integer(number))
    }
    try database.setUserVersion(7)
    #expect(try database.userVersion() == 7)
    #expect(try database.value("PRAGMA auto_vacuum") == 2)
  }

  @Test func `writes equal WAL bytes from equal seeds, and others from another`() throws {
    func log(_ name: String, seed: UInt64) throws -> [UInt8] {
      let database = try Connection("\(scratch.path)/\(name)", seed: seed)
      try database.setJournalMode(.wal)
      try database.run("CREATE TABLE t(a)")
      return try scratch.bytes(of: "\(name)-wal")
    }
    let first = try log("1.db", seed: 7)
    #expect(!first.isEmpty)
    #expect(try log("2.db", seed: 7) == first)
    #expect(try log("3.db", seed: 8) != first)
  }

  @Test func `fills up at its page count, and grows beyond a larger one`() throws {
    let database = try Connection(file)
    try database.setPageSize(bytes: 4096)
    try database.run("CREATE TABLE t(a)")
    try database.setPageCountMax(4)
    let value = DatabaseValue.blob(Array(repeating: 1, count: 4 * 4096))
    let failure = #expect(throws: DatabaseError.self) {
      try database.run("INSERT INTO t VALUES(?)", value)
    }
    #expect(failure?.code == .full)
    #expect(failure?.codeName == "SQLITE_FULL")
    try database.setPageCountMax(8)
    try database.run("INSERT INTO t VALUES(?)", value)
  }

  @Test func `checkpoints after as many pages as it is told`() throws {
    let database = try Connection(file)
    try database.setJournalMode(.wal)
    #expect(try database.journalMode() == .wal)
    try database.setCheckpointInterval(pages: 1000)
    try database.run("CREATE TABLE t(a)")
    let atFirst = try scratch.bytes(of: "a.db").count
    try database.setCheckpointInterval(pages: 1)
    try database.run("INSERT INTO t VALUES(1)")
    #expect(try scratch.bytes(of: "a.db").count > atFirst)
  }

  @Test(arguments: [true, false])
  func `leaves the WAL when it is closed, if it is told to`(keeps: Bool) throws {
    do {
      let database = try Connection(file)
      if keeps { database.keepWALOnClose() }
      try database.setJournalMode(.wal)
      try database.run("CREATE TABLE t(a)")
    }
    #expect(scratch.exists("a.db-wal") == keeps)
    #expect(try Connection(file).value("SELECT count(*) FROM t") == 0)
  }

  @Test(arguments: [
    Int32(11): "SQLITE_CORRUPT", 26: "SQLITE_NOTADB", 1034: "SQLITE_IOERR_FSYNC",
    25_354: "SQLITE_IOERR", 2067: "SQLITE_CONSTRAINT", 99: "SQLITE_UNKNOWN",
  ])
  func `names a code as SQLite's header does`(code: Int32, name: String) {
    let error = DatabaseError(call: "step", subject: "", extendedCode: code, message: "")
    #expect(error.codeName == name)
  }
}
