package import Device
import SQLite

/// One open image file: a SQLite database that holds one ``Image``.
///
/// The contract: ``save(_:)`` replaces the whole content in one transaction with `synchronous=FULL`
/// and a rollback journal, so a lab that is killed at any moment, or a machine that loses power,
/// leaves the image before or the image after. The log of the device is not replaced but goes on: in
/// the same transaction the file gets all operations that it does not hold yet. A file that is no
/// image, of a newer format or damaged is refused when it is opened, and never written.
package struct ImageFile: ~Copyable {
  /// The number of this format, in the header's `user_version`.
  package static let format: Int32 = 2

  /// `LabD`, in the header's `application_id`.
  static let applicationID: Int64 = 0x4C61_6244

  package let path: String
  let connection: Connection

  /// Opens an image, and makes an empty one when there is no file and `creating` allows it.
  ///
  /// - Throws: ``ImageError``; the file is as it was.
  /// - Complexity: O(*n*) for the bytes of the file, all of which are checked.
  package init(at path: String, creating: Bool) throws(ImageError) {
    self.path = path
    connection = try Self.opened(path, creating: creating)
  }

  private static func opened(_ path: String, creating: Bool) throws(ImageError) -> Connection {
    let connection = try connected(path, creating: creating)
    if let refusal = refusal(connection, path, creating: creating) { throw refusal }
    return connection
  }

  private static func connected(_ path: String, creating: Bool) throws(ImageError) -> Connection {
    do throws(DatabaseError) {
      return try Connection(path, mode: creating ? [.readWrite, .create] : .readWrite)
    } catch {
      throw ImageError(reading: path, error)
    }
  }

  private static func refusal(
    _ connection: borrowing Connection, _ path: String, creating: Bool
  ) -> ImageError? {
    connection.waitForLocks(milliseconds: 2_000)
    do throws(DatabaseError) {
      return try check(connection, path, creating: creating)
    } catch {
      return ImageError(reading: path, error)
    }
  }

  /// Why the file may not be used; sets it up when it is empty and may be made.
  private static func check(
    _ connection: borrowing Connection, _ path: String, creating: Bool
  ) throws(DatabaseError) -> ImageError? {
    let header = try Header(connection)
    if header.isEmpty, creating {
      try setUp(connection)
      return nil
    }
    guard header.application == applicationID else { return .notAnImage(path: path) }
    guard header.version <= format else {
      return .newerFormat(path: path, found: Int(header.version), known: Int(format))
    }
    if let problem = try connection.integrityProblems().first {
      return .damaged(path: path, reason: problem)
    }
    try setDurability(connection)
    if header.version < format { try update(connection) }
    return nil
  }

  /// What tells an image from other files.
  private struct Header {
    let tableCount: Int64
    let application: Int64
    let version: Int64

    init(_ connection: borrowing Connection) throws(DatabaseError) {
      tableCount = try connection.value("SELECT count(*) FROM sqlite_schema")?.integer ?? 0
      application = try connection.value("PRAGMA application_id")?.integer ?? 0
      version = try connection.userVersion()
    }

    var isEmpty: Bool { tableCount == 0 && application == 0 && version == 0 }
  }

  private static func setUp(_ connection: borrowing Connection) throws(DatabaseError) {
    try setDurability(connection)
    try connection.transaction(.immediate) { (connection) throws(DatabaseError) in
      for table in ImageSchema.tables { try connection.run(table) }
      try connection.run("PRAGMA application_id=\(applicationID)")
      try connection.setUserVersion(format)
    }
  }

  private static func update(_ connection: borrowing Connection) throws(DatabaseError) {
    try connection.transaction(.immediate) { (connection) throws(DatabaseError) in
      try connection.run(ImageSchema.operations)
      try connection.setUserVersion(format)
    }
  }

  private static func setDurability(_ connection: borrowing Connection) throws(DatabaseError) {
    try connection.setJournalMode(.delete)
    try connection.setSynchronous(.full)
  }

  /// Replaces the content by another image, and adds the operations that are new.
  ///
  /// - Throws: ``ImageError``; the file then holds the image before.
  /// - Complexity: O(*n*) for all inodes, pages and pending changes, and the new operations.
  package borrowing func save(_ image: Image) throws(ImageError) {
    do throws(DatabaseError) {
      try connection.transaction(.immediate) { (connection) throws(DatabaseError) in
        for (table, _) in ImageSchema.columnCounts { try connection.run("DELETE FROM \(table)") }
        var writer = try ImageWriter(connection)
        try writer.write(image)
        try StoredLog.update(image.device.log, connection)
      }
    } catch {
      throw ImageError(writing: path, error)
    }
  }

  /// Reads the image.
  ///
  /// - Parameter setup: The limits of the device; domains and capacity are those of the image.
  /// - Returns: The image; `nil` when none has been saved yet.
  /// - Throws: ``ImageError/damaged(path:reason:)`` when the content contradicts itself.
  package borrowing func load(_ setup: DeviceSetup = DeviceSetup()) throws(ImageError) -> Image? {
    let rows: ImageRows
    do throws(DatabaseError) {
      rows = try connection.transaction(.deferred) { (connection) throws(DatabaseError) in
        try ImageRows(connection)
      }
    } catch {
      throw ImageError(reading: path, error)
    }
    guard !rows.isEmpty else { return nil }
    do throws(Damage) {
      return try rows.image(setup)
    } catch {
      throw .damaged(path: path, reason: error.reason)
    }
  }
}
