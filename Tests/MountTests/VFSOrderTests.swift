import Device
import Linux
import Mount
import Ports
import SQLite
import Simulation
import Testing

/// Runs statements on `app.db` and says what became of each: 0 or SQLite's extended code.
private func program(_ statements: [String]) -> String {
  """
  import sqlite3
  database = sqlite3.connect('app.db', isolation_level=None)
  codes = []
  for statement in [\(statements.map { "\"\($0)\"" }.joined(separator: ", "))]:
      try:
          database.execute(statement).fetchall()
          codes.append(0)
      except sqlite3.Error as error:
          codes.append(error.sqlite_errorcode)
  database.close()
  print(*codes)
  """
}

/// The life of a small database: made, filled, changed, read.
private func statements(_ mode: String, _ synchronous: String) -> [String] {
  [
    "PRAGMA journal_mode=\(mode)", "PRAGMA synchronous=\(synchronous)",
    "CREATE TABLE t(k TEXT PRIMARY KEY, v BLOB)",
    "INSERT OR REPLACE INTO t VALUES('session', zeroblob(9000))",
    "INSERT OR REPLACE INTO t VALUES('session', zeroblob(9500))",
    "BEGIN", "INSERT INTO t VALUES('other', zeroblob(40000))", "ROLLBACK",
    "SELECT * FROM t", "PRAGMA wal_checkpoint",
  ]
}

private let modes = [
  ["TRUNCATE", "FULL"], ["DELETE", "FULL"], ["DELETE", "EXTRA"], ["PERSIST", "FULL"],
  ["WAL", "NORMAL"], ["WAL", "FULL"],
]

/// What an app did, and what it was told.
private struct History {
  let operations: [Operation]
  let codes: [Int32]

  /// Left out: what the kernel writes back by itself, and owners, which only root gives away.
  init(_ log: OperationLog, codes: [Int32]) {
    self.codes = codes
    operations = log.filter { $0.process != .unknown && $0.kind != .setAttributes }.map {
      Operation(
        kind: $0.kind, path: $0.path, offset: $0.offset ?? 0, length: $0.length ?? 0,
        error: $0.error)
    }
  }

  /// The same with writes that follow each other as one: the kernel cuts a write at the end of each
  /// page that it has not in its cache, and a simulated device at the end of each page.
  var merged: [Operation] {
    operations.reduce(into: []) { merged, next in
      if let last = merged.last, next.kind == .write, next.continues(last) {
        merged[merged.count - 1].length += next.length
      } else {
        merged.append(next)
      }
    }
  }
}

private struct Operation: Equatable {
  let kind: OperationKind
  let path: String
  let offset: Int
  var length: Int
  let error: DeviceError?

  func continues(_ other: Operation) -> Bool {
    other.kind == kind && other.path == path && other.offset + other.length == offset
      && error == other.error
  }
}

/// The same on a simulated device.
private func simulate(_ statements: [String], _ fault: ArmedFault? = nil) throws -> History {
  let box = DeviceBox(StorageDevice(DeviceSetup())) { 1_000 }
  if let fault { _ = box.device.arm(fault) }
  let files = DeviceFileSystem(box, process: ProcessNumber(5))
  let location = files.database(at: "/app.db")
  var codes: [Int32] = []
  do {
    let connection = try Connection(location.path, vfs: location.vfs)
    for statement in statements {
      do {
        _ = try connection.rows(statement)
        codes.append(0)
      } catch {
        codes.append(error.extendedCode)
      }
    }
  }
  return History(box.device.log, codes: codes)
}

private func mount(_ statements: [String], _ fault: ArmedFault? = nil) throws -> History {
  var history: History?
  try withPhone { mount in
    if let fault { _ = mount.withDevice { $0.arm(fault) } }
    let app = try App(mount, program(statements))
    let line = try #require(try app.line())
    #expect(try app.status() == .exited(0))
    history = mount.withDevice {
      History($0.log, codes: line.split(separator: " ").compactMap { Int32($0) })
    }
  }
  return try #require(history)
}

extension `A mounted device` {
  @Test(arguments: modes)
  func `sees the same operations of SQLite as a simulated one`(mode: [String]) throws {
    let statements = statements(mode[0], mode[1])
    let mounted = try mount(statements)
    let simulated = try simulate(statements)
    #expect(simulated.codes == statements.map { _ in 0 })
    #expect(mounted.codes == simulated.codes)
    #expect(simulated.operations.count > 20)
    // Of a journal that stays, the kernel has pages in its cache.
    if mode[0] == "PERSIST" {
      #expect(difference(mounted.merged, simulated.merged) == nil)
    } else {
      #expect(difference(mounted.operations, simulated.operations) == nil)
    }
  }

  /// Each operation of the second save fails once, on both.
  @Test(arguments: [["TRUNCATE", "FULL"], ["WAL", "FULL"]], [DeviceError.inputOutput, .noSpace])
  func `gives SQLite the same errors as a simulated one`(
    mode: [String], error: DeviceError
  ) throws {
    let statements = statements(mode[0], mode[1])
    // The operations about the second save, in the middle of the history.
    let before = try simulate(Array(statements.prefix(4))).operations.count
    let saving = try simulate(Array(statements.prefix(5))).operations.count
    let all = try simulate(statements).operations
    var refusalCount = 0
    for index in before..<saving where !all[index].path.hasSuffix("-shm") {
      let (kind, path) = (all[index].kind, all[index].path)
      let fault = ArmedFault(
        name: "test",
        trigger: .call(
          kind, path: PathPattern(path),
          occurrence: all[...index].count { $0.kind == kind && $0.path == path }),
        effect: .error(error))
      let mounted = try mount(statements, fault)
      let simulated = try simulate(statements, fault)
      #expect(mounted.codes == simulated.codes, "\(error) at \(kind.rawValue) \(path)")
      #expect(
        difference(mounted.operations, simulated.operations) == nil,
        "\(error) at \(kind.rawValue) \(path)")
      refusalCount += simulated.codes.contains { $0 != 0 } ? 1 : 0
    }
    #expect(refusalCount > 3)
  }
}

/// The first place where two lists differ, in words.
private func difference(_ left: [Operation], _ right: [Operation]) -> String? {
  for (index, pair) in zip(left, right).enumerated() where pair.0 != pair.1 {
    return "\(index): \(pair.0), \(pair.1)"
  }
  return left.count == right.count ? nil : "\(left.count) and \(right.count) operations"
}
