import Device
import SQLite
import Simulation
import Testing

@Suite struct `Two processes with one database` {
  private func code(_ body: () throws(DatabaseError) -> Void) -> DatabaseError.Code? {
    do {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: Journaling.all)
  func `keep each other from writing`(journal: Journaling) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let first = try phone.connect(1, journal)
    let second = try phone.connect(2, journal)
    try first.run("BEGIN IMMEDIATE")
    try VFSTestPhone.save(2, first)
    #expect(code { () throws(DatabaseError) in try VFSTestPhone.save(3, second) } == .busy)
    #expect(VFSTestPhone.generation(second) == 1, "readers go on while a writer prepares")
    try first.run("COMMIT")
    #expect(code { () throws(DatabaseError) in try VFSTestPhone.save(3, second) } == nil)
    #expect(VFSTestPhone.generation(first) == 3)
  }

  @Test func `keep readers out while one writes the file, and writers out while one reads`() throws
  {
    let journal = Journaling.deleteFull
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let first = try phone.connect(1, journal)
    let second = try phone.connect(2, journal)
    try first.run("BEGIN EXCLUSIVE")
    #expect(code { () throws(DatabaseError) in _ = try second.rows("SELECT * FROM t") } == .busy)
    try first.run("ROLLBACK")
    try second.run("BEGIN")
    _ = try second.rows("SELECT * FROM t")
    #expect(code { () throws(DatabaseError) in try VFSTestPhone.save(2, first) } == .busy)
    try second.run("COMMIT")
    #expect(code { () throws(DatabaseError) in try VFSTestPhone.save(2, first) } == nil)
  }

  @Test(arguments: Journaling.all)
  func `lose the locks of one that is killed`(journal: Journaling) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let first = try phone.connect(1, journal)
    let second = try phone.connect(2, journal)
    try first.run("BEGIN IMMEDIATE")
    try VFSTestPhone.save(2, first)
    #expect(code { () throws(DatabaseError) in try VFSTestPhone.save(3, second) } == .busy)
    phone.box.end(ProcessNumber(1))
    #expect(code { () throws(DatabaseError) in try VFSTestPhone.save(3, second) } == nil)
    #expect(VFSTestPhone.generation(second) == 3)
  }

  @Test(arguments: Journaling.all)
  func `are cut off once they are killed`(journal: Journaling) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let dead = try phone.connect(1, journal)
    try dead.run("BEGIN IMMEDIATE")
    try VFSTestPhone.save(2, dead)
    phone.box.end(ProcessNumber(1))
    let count = phone.box.device.operationCount
    let digest = phone.box.device.live.digest()
    let failure = code { () throws(DatabaseError) in try dead.run("COMMIT") }
    #expect(failure == .inputOutput)
    #expect(
      code { () throws(DatabaseError) in _ = try dead.rows("SELECT * FROM t") } == .inputOutput)
    #expect(phone.box.device.operationCount == count, "nothing reaches the log")
    #expect(phone.box.device.live.digest() == digest)
    #expect(try phone.generation() == 1)
  }

  /// A writer's rollback clears what it put into the WAL's index. A dead one must not clear what
  /// others have put there since.
  @Test func `share no index with the connection of a killed writer`() throws {
    let journal = Journaling.walNormal
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let living = try phone.connect(2, journal)
    #expect(VFSTestPhone.generation(living) == 1)
    try living.run("PRAGMA cache_size=2")
    do {
      let dead = try phone.connect(1, journal)
      try dead.run("PRAGMA cache_size=2")
      try dead.run("BEGIN IMMEDIATE")
      for _ in 0..<20 { try dead.run("INSERT INTO t VALUES(hex(randomblob(9)), zeroblob(5000))") }
      phone.box.end(ProcessNumber(1))
      try living.run("BEGIN IMMEDIATE")
      for number in 0..<20 {
        try living.run("INSERT INTO t VALUES('row \(number)', zeroblob(5000))")
      }
      // Here the dead process's memory goes.
    }
    try living.run("COMMIT")
    #expect(try living.integrityProblems() == [])
    #expect(try living.value("SELECT count(*) FROM t WHERE k LIKE 'row %'") == 20)
    #expect(try phone.connect(3).value("SELECT count(*) FROM t") == 21)
  }

  @Test func `wait for a lock in virtual time`() throws {
    let journal = Journaling.truncateFull
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let first = try phone.connect(1, journal)
    let second = try phone.connect(2, journal)
    var waitedMicroseconds = 0
    phone.box.onSleep = { waitedMicroseconds += $0 }
    second.waitForLocks(milliseconds: 2_500)
    try first.run("BEGIN EXCLUSIVE")
    #expect(code { () throws(DatabaseError) in try VFSTestPhone.save(2, second) } == .busy)
    #expect(waitedMicroseconds == 2_500_000)
  }

  @Test(arguments: Journaling.all)
  func `see each other's commits, and checkpoints`(journal: Journaling) throws {
    let phone = try VFSTestPhone.withFirstGeneration(journal)
    let first = try phone.connect(1, journal)
    let second = try phone.connect(2, journal)
    for generation in UInt8(2)..<40 {
      if generation % 2 == 0 {
        try VFSTestPhone.save(generation, first)
        #expect(VFSTestPhone.generation(second) == generation)
      } else {
        try VFSTestPhone.save(generation, second)
        #expect(VFSTestPhone.generation(first) == generation)
      }
      if generation % 7 == 0 { _ = try first.rows("PRAGMA wal_checkpoint(RESTART)") }
    }
  }
}
