package import Device
package import SQLite

/// Asks one database the same question in many states of a device, with connections and statements
/// that are kept between them.
///
/// Opening a database costs SQLite some ten times as much as reading from one that is open. So the
/// files of a kept connection go on with the same paths of the next device, the change counter that
/// the pager compares reads as a new one, so that it drops its pages, and the header of a WAL's index
/// is cleared, so that recovery runs. What recovery writes goes to the device.
///
/// A new connection asks when the first page, or whether there is a journal or a WAL, differs from
/// what the kept ones were opened on, before recovery or after it; and whenever a kept one fails, so
/// that no error is an artefact.
package final class VFSProbe {
  private let path: String
  private let files: Likeness.Files
  private let question: String
  private let nowNs: Int64
  /// The oldest first.
  private var kept: [Kept] = []
  private static let keptMax = 8

  /// Where the last device is.
  private var box: DeviceBox

  /// The device after the last answer, with all that recovery did to it.
  package var device: StorageDevice { box.device }

  /// How many times the database was opened.
  package private(set) var openingCount = 0

  /// - Parameters:
  ///   - path: The database's path on the device, without links.
  ///   - question: One statement without parameters; it may read only.
  ///   - device: The first device.
  ///   - nowNs: The virtual time, in nanoseconds since 1970.
  package init(_ path: String, _ question: String, on device: StorageDevice, nowNs: Int64) {
    self.path = path
    files = Likeness.Files(path)
    self.question = question
    box = DeviceBox(device) { nowNs }
    self.nowNs = nowNs
  }

  /// What the database answers on a device: rows, or the error that an app would see.
  ///
  /// No fault may be armed there: it would hit the probe.
  package func answer(on device: StorageDevice) -> Result<[[DatabaseValue]], DatabaseError> {
    let before = Likeness(of: files, on: device.live)
    if let index = kept.firstIndex(where: { $0.before == before }) {
      let connection = kept[index]
      let answer = connection.answer(on: device)
      box = connection.box
      if case .success = answer, connection.after == Likeness(of: files, on: box.device.live) {
        return answer
      }
      kept.remove(at: index)
    }
    return answerAnew(on: device, before)
  }

  private func answerAnew(
    on device: StorageDevice, _ before: Likeness
  ) -> Result<[[DatabaseValue]], DatabaseError> {
    openingCount += 1
    let now = nowNs
    let box = DeviceBox(device) { now }
    self.box = box
    do {
      let opened = try Kept(path, question, on: box, before)
      let answer = opened.answer()
      opened.after = Likeness(of: files, on: box.device.live)
      guard case .success = answer else { return answer }
      if kept.count == Self.keptMax { kept.removeFirst() }
      kept.append(opened)
      return answer
    } catch {
      return .failure(error)
    }
  }
}

/// What must be the same for a connection to go on from one state to the next.
private struct Likeness: Equatable {
  var firstPage: [UInt8]?
  var hasJournal: Bool
  var hasWAL: Bool

  struct Files {
    let database: DevicePath
    let journal: FileName
    let wal: FileName

    init(_ path: String) {
      database = DevicePath(path)
      journal = database.adding("-journal").name
      wal = database.adding("-wal").name
    }
  }

  init(of files: Files, on volume: Volume) {
    let directory = files.database.directory(in: volume) ?? .root
    firstPage = volume.child(files.database.name, of: directory).flatMap { volume[$0] }?
      .read(at: 0, count: Inode.pageBytes)
    hasJournal = volume.child(files.journal, of: directory) != nil
    hasWAL = volume.child(files.wal, of: directory) != nil
  }
}

/// A connection with a statement, and a box of its own for the device that it looks at.
private final class Kept {
  let box: DeviceBox
  /// What it was opened on, and what recovery made of that.
  let before: Likeness
  var after: Likeness?
  private let system: DeviceVFS
  private let connection: Connection
  private var statement: Statement
  private var stateCount: UInt64 = 0

  init(
    _ path: String, _ question: String, on box: DeviceBox, _ before: Likeness
  ) throws(DatabaseError) {
    self.box = box
    self.before = before
    system = DeviceVFS(box, process: ProcessNumber(1))
    let registered = RegisteredFileSystem(system, prefix: "lab-probe")
    connection = try Connection(path, vfs: registered.name, mode: .readWrite)
    statement = try connection.prepare(question)
  }

  /// Goes on with another device.
  func answer(on device: StorageDevice) -> Result<[[DatabaseValue]], DatabaseError> {
    box.device = device
    stateCount += 1
    let counter = (0..<8).map { UInt8(truncatingIfNeeded: stateCount >> ($0 * 8)) }
    for file in system.openFiles {
      file.moveOn()
      (file as? DeviceVFSDatabase)?.forget(changeCounter: counter + counter)
    }
    return answer()
  }

  func answer() -> Result<[[DatabaseValue]], DatabaseError> {
    Result { () throws(DatabaseError) in
      var rows: [[DatabaseValue]] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }
}
