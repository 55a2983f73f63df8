import Crypto
package import Ports
import SQLite

/// The service that owns the keychain: securityd, with the database and the class keys.
///
/// A process of its own on the phone, so that the end of an app never tears an item. It answers
/// one request at a time; each writing one is a transaction, committed before the answer. The
/// service dies when it finds its database corrupt: it leaves a marker, and its next start, at the
/// next request, deletes marker and database and makes an empty one. The lock state belongs to the
/// phone and outlives that.
///
/// Modelled: generic passwords without access control. Not modelled: iCloud synchronisation,
/// access groups as a right, biometric access control.
package final class KeychainService {
  let files: any FileSystem
  private let entropy: any Entropy
  private let clock: any WallClock
  let console: any Console
  let settings: KeychainSettings

  var lockState: LockState
  private var keybag: Keybag?
  private var database: KeychainDatabase?
  private var cipher: KeychainCipher?

  /// Rows that turned out to be undecryptable; they are deleted behind the caller's back.
  private var corruptRows: [Int64] = []

  /// Makes the service; its database is opened by the first request that needs it.
  package init(
    files: any FileSystem, entropy: any Entropy, clock: any WallClock, console: any Console,
    settings: KeychainSettings, lockState: LockState
  ) {
    self.files = files
    self.entropy = entropy
    self.clock = clock
    self.console = console
    self.settings = settings
    self.lockState = lockState
  }

  /// Answers one request. ``finish()`` does what follows, when the answer is on its way.
  package func answer(_ request: KeychainRequest) -> KeychainAnswer {
    switch request {
    case .add(let item): attempt { try self.add(item) }
    case .update(let query, let data, let accessibility):
      attempt { try self.update(query, data, accessibility) }
    case .copyMatching(let query): attempt { try self.copyMatching(query) }
    case .delete(let query): attempt { try self.delete(query) }
    case .list: attempt { try self.list() }
    case .dropPasscodeItems: attempt { try self.dropPasscodeItems() }
    case .moveToNewDevice: attempt { try self.moveToNewDevice() }
    case .setLockState(let state): setLockState(state)
    case .ping, .quit: KeychainAnswer(.success)
    }
  }

  /// Deletes the rows that the last answer found corrupt.
  package func finish() {
    let rows = corruptRows
    corruptRows = []
    guard !rows.isEmpty else { return }
    let answer = attempt {
      try self.write { (database) throws(DatabaseError) in
        for row in rows { try database.delete(row) }
      }
      return KeychainAnswer(.success)
    }
    if answer.status != .success {
      console.error("keychain: a corrupt item could not be deleted")
    }
  }

  /// Closes the database, as at an orderly end: the WAL goes into the file.
  package func stop() {
    database = nil
  }

  private func setLockState(_ state: LockState) -> KeychainAnswer {
    lockState = state
    return KeychainAnswer(.success)
  }

  /// Starts the service when it is not running, runs `body`, and turns failures into statuses.
  private func attempt(_ body: () throws -> KeychainAnswer) -> KeychainAnswer {
    do {
      try start()
      return try body()
    } catch let error as DatabaseError {
      console.error("keychain: \(error)")
      return KeychainAnswer(status(for: error))
    } catch {
      console.error("keychain: \(error)")
      return KeychainAnswer(.notAvailable)
    }
  }

  private func status(for error: DatabaseError) -> SecStatus {
    if error.code == .corrupt || error.code == .notADatabase { dieIfDamaged() }
    return SecStatus(error.code)
  }
}

// MARK: - Life of the service

extension KeychainService {
  private func start() throws {
    if cipher == nil { cipher = try KeychainCipher() }
    if keybag == nil { keybag = try Keybag(on: files, entropy: entropy) }
    guard database == nil else { return }
    try files.makeDirectories(IOSLayout.keychainDirectory, permissions: 0o700)
    if files.kind(of: IOSLayout.keychainCorruptMarker) != nil { try deleteDatabase() }
    // The file's mode is 0600; SQLite gives it to the files beside it.
    try files.createIfMissing(IOSLayout.keychainDatabase, permissions: 0o600)
    let location = files.database(at: IOSLayout.keychainDatabase)
    database = try KeychainDatabase(at: location, synchronous: settings.synchronous)
  }

  /// The marker goes last, so that a kill in between makes the next start do it again.
  private func deleteDatabase() throws(FileError) {
    let database = IOSLayout.keychainDatabase
    for path in [database, "\(database)-wal", "\(database)-shm"]
    where files.kind(of: path) != nil {
      try files.unlink(path)
    }
    try files.unlink(IOSLayout.keychainCorruptMarker)
    console.error("keychain: the corrupt database was replaced by an empty one")
  }

  /// When an integrity check confirms the damage, leaves the marker and ends.
  private func dieIfDamaged() {
    do {
      let isDamaged = try database?.isDamaged() ?? true
      database = nil
      guard isDamaged else { return }
      let marker = IOSLayout.keychainCorruptMarker
      files.close(try files.open(marker, .replace, permissions: 0o600))
      console.error("keychain: the database is corrupt")
    } catch {
      database = nil
      console.error("keychain: \(error)")
    }
  }
}

// MARK: - SecItem calls

extension KeychainService {
  private func add(_ item: SecItem) throws -> KeychainAnswer {
    // Encryption comes before the insert: a locked class refuses even a duplicate.
    if let refusal = refusalToSeal(item.accessibility) { return KeychainAnswer(refusal) }
    let sealed = try seal(item)
    let digests = try KeychainDatabase.Digests(item.query)
    let origin = KeychainDatabase.Origin(
      seconds: seconds, uuid: uuid(), persistentReference: entropy.bytes(16))
    let isNew = try write { (database) throws(DatabaseError) in
      try database.insert(
        digests, accessibility: item.accessibility, data: sealed, origin: origin)
    }
    return KeychainAnswer(isNew ? .success : .duplicateItem)
  }

  private func update(
    _ query: SecItemQuery, _ data: [UInt8], _ accessibility: Accessibility?
  ) throws -> KeychainAnswer {
    guard let row = try row(query) else { return KeychainAnswer(.itemNotFound) }
    switch try open(row) {
    case .refused(let status):
      return KeychainAnswer(status)
    case .item(var item):
      item.data = data
      if let accessibility { item.accessibility = accessibility }
      if let refusal = refusalToSeal(item.accessibility) { return KeychainAnswer(refusal) }
      let sealed = try seal(item)
      let now = seconds
      try write { (database) throws(DatabaseError) in
        try database.update(
          row.number, data: sealed, accessibility: item.accessibility, seconds: now)
      }
      return KeychainAnswer(.success)
    }
  }

  private func copyMatching(_ query: SecItemQuery) throws -> KeychainAnswer {
    guard let row = try row(query) else { return KeychainAnswer(.itemNotFound) }
    switch try open(row) {
    case .item(let item):
      return KeychainAnswer(.success, data: item.data)
    case .refused(.interactionNotAllowed)
    where lockState == .beforeFirstUnlock && settings.beforeFirstUnlock == .notFound:
      return KeychainAnswer(.itemNotFound)
    case .refused(let status):
      return KeychainAnswer(status)
    }
  }

  private func delete(_ query: SecItemQuery) throws -> KeychainAnswer {
    guard let row = try row(query) else { return KeychainAnswer(.itemNotFound) }
    if !settings.deletesWhileLocked, let accessibility = Accessibility(rawValue: row.accessibility),
      !accessibility.isUsable(in: lockState)
    {
      return KeychainAnswer(.interactionNotAllowed)
    }
    try write { (database) throws(DatabaseError) in try database.delete(row.number) }
    return KeychainAnswer(.success)
  }

  private enum Opened {
    case item(SecItem)
    case refused(SecStatus)
  }

  /// Decrypts a row for an app, as far as the lock state allows.
  private func open(_ row: KeychainDatabase.Row) throws -> Opened {
    guard let accessibility = Accessibility(rawValue: row.accessibility) else {
      return .refused(.decode)
    }
    guard hasKey(of: accessibility) else { return .refused(willDelete(row)) }
    guard accessibility.isUsable(in: lockState) else { return .refused(.interactionNotAllowed) }
    switch decrypt(row) {
    case .success(let item):
      return .item(item)
    case .failure(.malformed):
      return .refused(.decode)
    case .failure(.unavailable):
      return .refused(.notAvailable)
    case .failure(.undecryptable):
      return .refused(willDelete(row))
    }
  }

  /// What nobody can decrypt any more counts as corrupt, and as not there.
  private func willDelete(_ row: KeychainDatabase.Row) -> SecStatus {
    console.error("keychain: an item is corrupt and will be deleted")
    corruptRows.append(row.number)
    return .itemNotFound
  }

  private func hasKey(of accessibility: Accessibility) -> Bool {
    accessibility != .whenPasscodeSetThisDeviceOnly || settings.hasPasscode
  }

  private func refusalToSeal(_ accessibility: Accessibility) -> SecStatus? {
    guard hasKey(of: accessibility) else { return .authenticationFailed }
    return accessibility.isUsable(in: lockState) ? nil : .interactionNotAllowed
  }
}

// MARK: - What the lab does to the keychain

extension KeychainService {
  private func list() throws -> KeychainAnswer {
    let items = try allRows().map { row in
      guard case .success(let item) = decrypt(row) else {
        return Inventory.KeyItem(
          name: nil, detail: row.accessibility, bytes: nil, digest: nil)
      }
      return Inventory.KeyItem(
        name: item.query.account, detail: "\(item.query.service) \(row.accessibility)",
        bytes: item.data.count, digest: try Fingerprint.of(item.data))
    }
    return KeychainAnswer(.success, items: items)
  }

  private func dropPasscodeItems() throws -> KeychainAnswer {
    let rows = try allRows().filter { row in
      row.accessibility == Accessibility.whenPasscodeSetThisDeviceOnly.rawValue
    }
    try write { (database) throws(DatabaseError) in
      for row in rows { try database.delete(row.number) }
    }
    return KeychainAnswer(.success, removedCount: rows.count)
  }

  /// Nothing of the old key is left when this returns; a kill before it leaves rows that the new
  /// key cannot decrypt.
  private func moveToNewDevice() throws -> KeychainAnswer {
    let rows = try allRows()
    var kept: [(number: Int64, item: SecItem)] = []
    for row in rows {
      guard let accessibility = Accessibility(rawValue: row.accessibility), accessibility.migrates,
        case .success(let item) = decrypt(row)
      else { continue }
      kept.append((row.number, item))
    }
    let numbers = Set(kept.map(\.number))
    keybag = try Keybag.replaced(on: files, entropy: entropy)
    let sealed = try kept.map { kept in
      (number: kept.number, data: try seal(kept.item), accessibility: kept.item.accessibility)
    }
    let now = seconds
    try write { (database) throws(DatabaseError) in
      for row in rows where !numbers.contains(row.number) { try database.delete(row.number) }
      for item in sealed {
        try database.update(
          item.number, data: item.data, accessibility: item.accessibility, seconds: now)
      }
    }
    let boundCount = rows.count { Accessibility(rawValue: $0.accessibility)?.migrates == false }
    return KeychainAnswer(.success, removedCount: boundCount)
  }
}

// MARK: - Parts

extension KeychainService {
  private struct NotRunning: Error {}

  private func write<Result>(
    _ body: (borrowing KeychainDatabase) throws(DatabaseError) -> Result
  ) throws -> Result {
    guard let result = try database?.write(body) else { throw NotRunning() }
    return result
  }

  private func row(_ query: SecItemQuery) throws -> KeychainDatabase.Row? {
    try database?.row(try KeychainDatabase.Digests(query)) ?? nil
  }

  private func allRows() throws -> [KeychainDatabase.Row] {
    try database?.allRows() ?? []
  }

  private func seal(_ item: SecItem) throws -> [UInt8] {
    guard let key = try keybag?.key(of: item.accessibility) else { throw NotRunning() }
    let nonce = entropy.bytes(KeychainCipher.freshBytes)
    guard let sealed = try cipher?.seal(item, key: key, nonce: nonce) else { throw NotRunning() }
    return sealed
  }

  /// Decrypts a row whatever the lock state.
  private func decrypt(_ row: KeychainDatabase.Row) -> Result<SecItem, KeychainCipher.Failure> {
    guard let accessibility = Accessibility(rawValue: row.accessibility) else {
      return .failure(.malformed)
    }
    guard let key = key(of: accessibility) else { return .failure(.unavailable) }
    do throws(KeychainCipher.Failure) {
      guard let item = try cipher?.open(row.data, of: row, accessibility: accessibility, key: key)
      else { throw .unavailable }
      return .success(item)
    } catch {
      return .failure(error)
    }
  }

  private func key(of accessibility: Accessibility) -> [UInt8]? {
    do {
      return try keybag?.key(of: accessibility)
    } catch {
      console.error("keychain: \(error)")
      return nil
    }
  }

  /// Seconds since 2001.
  private var seconds: Double { Double(clock.nowMs - 978_307_200_000) / 1000 }

  private func uuid() -> String {
    let digits = Array(Hexadecimal.encode(entropy.bytes(16)).uppercased())
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }
}
