import Crypto
import Foundation
import Machine
import Ports
import SQLite
import TestSupport
import Testing

@testable import Phone

@Suite struct `The keychain's service` {
  let phone: TestPhone
  let query = IOSLayout.keyItem(for: "k")

  init() throws {
    phone = try TestPhone()
  }

  private func add(
    _ name: String = "k", _ accessibility: Accessibility = .whenUnlocked, _ data: [UInt8] = [1]
  ) -> SecStatus? {
    let item = SecItem(
      query: IOSLayout.keyItem(for: name), accessibility: accessibility, data: data)
    return phone.ask(.add(item))?.status
  }

  private func status(_ request: KeychainRequest) -> SecStatus? { phone.ask(request)?.status }

  private func database() throws -> Connection {
    try Connection("\(phone.scratch.path)\(IOSLayout.keychainDatabase)")
  }

  // MARK: Items

  @Test func `gives back what was added, also after it was killed`() {
    #expect(add("k", .whenUnlocked, [0, 255, 7]) == .success)
    #expect(phone.ask(.copyMatching(query))?.data == [0, 255, 7])
    phone.restartDaemon()
    #expect(phone.ask(.copyMatching(query)) == KeychainAnswer(.success, data: [0, 255, 7]))
  }

  @Test func `refuses a second item with the same key, and updates the first`() {
    #expect(add() == .success)
    #expect(add() == .duplicateItem)
    #expect(status(.update(query, data: [2])) == .success)
    #expect(phone.ask(.copyMatching(query))?.data == [2])
  }

  @Test func `does not find what is not there`() {
    #expect(status(.copyMatching(query)) == .itemNotFound)
    #expect(status(.update(query, data: [2])) == .itemNotFound)
    #expect(status(.delete(query)) == .itemNotFound)
  }

  @Test func `keeps items of other names, services and groups apart`() {
    #expect(add() == .success)
    var other = query
    other.service = "app:auth"
    #expect(status(.copyMatching(other)) == .itemNotFound)
    other = query
    other.accessGroup = "another.app"
    #expect(status(.copyMatching(other)) == .itemNotFound)
    #expect(status(.delete(other)) == .itemNotFound)
    #expect(status(.copyMatching(query)) == .success)
  }

  // MARK: Locking

  @Test(arguments: Accessibility.allCases)
  func `opens and closes a class with the lock state`(accessibility: Accessibility) {
    #expect(add("k", accessibility) == .success)
    for state in LockState.allCases {
      _ = phone.ask(.setLockState(state))
      let expected: SecStatus
      switch (accessibility, state) {
      case (_, .unlocked), (.always, _), (.alwaysThisDeviceOnly, _): expected = .success
      case (.afterFirstUnlock, .locked), (.afterFirstUnlockThisDeviceOnly, .locked):
        expected = .success
      default: expected = .interactionNotAllowed
      }
      #expect(status(.copyMatching(query)) == expected, "\(state)")
      #expect(status(.update(query, data: [1])) == expected, "\(state)")
      #expect(add("k", accessibility) == (expected == .success ? .duplicateItem : expected))
    }
  }

  @Test func `answers not found for a missing item even when locked`() {
    _ = add("other")
    _ = phone.ask(.setLockState(.locked))
    #expect(status(.copyMatching(query)) == .itemNotFound)
  }

  @Test func `refuses an add while locked even when the item exists`() {
    _ = add()
    _ = phone.ask(.setLockState(.locked))
    #expect(add() == .interactionNotAllowed)
  }

  @Test(arguments: [true, false])
  func `deletes while locked as the setting says`(works: Bool) throws {
    phone.settings.keychain.deletesWhileLocked = works
    phone.restartDaemon()
    _ = add()
    _ = phone.ask(.setLockState(.locked))
    #expect(status(.delete(query)) == (works ? .success : .interactionNotAllowed))
  }

  @Test func `can claim before the first unlock that nothing is there`() {
    _ = add()
    phone.restartDaemon(lockState: .beforeFirstUnlock)
    #expect(status(.copyMatching(query)) == .interactionNotAllowed)
    phone.settings.keychain.beforeFirstUnlock = .notFound
    phone.restartDaemon(lockState: .beforeFirstUnlock)
    #expect(status(.copyMatching(query)) == .itemNotFound)
    _ = phone.ask(.setLockState(.locked))
    #expect(status(.copyMatching(query)) == .interactionNotAllowed)
    _ = phone.ask(.setLockState(.unlocked))
    #expect(status(.copyMatching(query)) == .success)
  }

  @Test func `has no passcode class without a passcode`() {
    phone.settings.keychain.hasPasscode = false
    phone.restartDaemon()
    #expect(add("k", .whenPasscodeSetThisDeviceOnly) == .authenticationFailed)
    #expect(add("k", .whenUnlocked) == .success)
  }

  @Test(arguments: [true, false])
  func `deletes an item of the passcode class when the passcode is gone`(isGone: Bool) {
    #expect(add("k", .whenPasscodeSetThisDeviceOnly) == .success)
    phone.settings.keychain.hasPasscode = !isGone
    phone.restartDaemon()
    #expect(status(.copyMatching(query)) == (isGone ? .itemNotFound : .success))
    #expect(phone.ask(.list)?.items?.count == (isGone ? 0 : 1))
  }

  @Test func `gives an item another class when an update says so`() {
    _ = add()
    #expect(status(.update(query, data: [2])) == .success)
    _ = phone.ask(.setLockState(.locked))
    #expect(status(.copyMatching(query)) == .interactionNotAllowed)
    _ = phone.ask(.setLockState(.unlocked))
    #expect(status(.update(query, data: [3], accessibility: .afterFirstUnlock)) == .success)
    phone.restartDaemon(lockState: .locked)
    #expect(phone.ask(.copyMatching(query))?.data == [3])
    #expect(phone.ask(.list)?.items?.map(\.detail) == ["app:no-auth ck"])
  }

  @Test func `refuses an update into a class that has no key, and changes nothing`() {
    phone.settings.keychain.hasPasscode = false
    phone.restartDaemon()
    _ = add()
    let update = KeychainRequest.update(
      query, data: [2], accessibility: .whenPasscodeSetThisDeviceOnly)
    #expect(status(update) == .authenticationFailed)
    #expect(phone.ask(.copyMatching(query))?.data == [1])
  }

  // MARK: Damage

  @Test func `drops an item of another phone, and then does not find it`() throws {
    _ = add()
    try phone.put([UInt8](repeating: 9, count: 32), at: IOSLayout.keybag)
    phone.restartDaemon()
    #expect(phone.ask(.list)?.items?.map(\.name) == [nil])
    #expect(status(.copyMatching(query)) == .itemNotFound)
    #expect(phone.console.errors == ["keychain: an item is corrupt and will be deleted"])
    #expect(try database().value("SELECT count(*) FROM genp") == 0)
    #expect(status(.copyMatching(query)) == .itemNotFound)
    #expect(phone.console.errors.count == 1)
    #expect(add() == .success)
  }

  @Test(arguments: [0, 60]) func `tells a damaged column from a foreign one`(index: Int) throws {
    _ = add()
    var data = try #require(try database().value("SELECT data FROM genp")?.blob)
    data[index] ^= 1
    try database().run("UPDATE genp SET data = ?", .blob(data))
    #expect(status(.copyMatching(query)) == (index == 0 ? .decode : .itemNotFound))
  }

  @Test func `does not accept the column of another item`() throws {
    _ = add("k", .whenUnlocked, [1])
    _ = add("l", .whenUnlocked, [2])
    let other = try #require(try database().value("SELECT data FROM genp WHERE rowid = 2"))
    try database().run("UPDATE genp SET data = ? WHERE rowid = 1", other)
    #expect(status(.copyMatching(query)) == .itemNotFound)
    #expect(phone.ask(.copyMatching(IOSLayout.keyItem(for: "l")))?.data == [2])
  }

  @Test(arguments: ["header", "pages"])
  func `dies of a corrupt database once, and starts with an empty one`(place: String) throws {
    for number in 0..<40 { _ = add("k\(number)", .whenUnlocked, Array(repeating: 1, count: 500)) }
    phone.daemon.service?.stop()
    var bytes = try phone.scratch.bytes(of: String(IOSLayout.keychainDatabase.dropFirst()))
    let range = place == "header" ? 0..<100 : 4096..<bytes.count
    for index in range { bytes[index] = 0x55 }
    try phone.put(bytes, at: IOSLayout.keychainDatabase)
    phone.restartDaemon()
    let request = KeychainRequest.copyMatching(IOSLayout.keyItem(for: "k1"))
    #expect(status(request) == .notAvailable)
    #expect(phone.exists(IOSLayout.keychainCorruptMarker))
    #expect(status(request) == .itemNotFound)
    #expect(!phone.exists(IOSLayout.keychainCorruptMarker))
    #expect(phone.ask(.list)?.items == [])
    #expect(add() == .success)
  }

  @Test func `keeps a sound database when there is no marker`() {
    _ = add()
    phone.restartDaemon()
    #expect(status(.copyMatching(query)) == .success)
  }

  @Test func `deletes the database when an earlier life left the marker`() throws {
    _ = add()
    phone.daemon.service = nil
    try phone.put("", at: IOSLayout.keychainCorruptMarker)
    phone.restartDaemon()
    #expect(status(.copyMatching(query)) == .itemNotFound)
  }

  @Test func `maps the database's failures to statuses`() {
    #expect(SecStatus(.full) == .notAvailable)
    #expect(SecStatus(.cannotOpen) == .notAvailable)
    #expect(SecStatus(.busy) == .notAvailable)
    #expect(SecStatus(.corrupt) == .notAvailable)
    #expect(SecStatus(.inputOutput) == .inputOutput)
    #expect(SecStatus.inputOutput.text == "I/O error.")
  }

  @Test func `cannot start without its directory, and starts when it can`() {
    phone.serviceFiles.refuse = { call, _ in call == "mkdir" ? FileError.noSpace : nil }
    #expect(add() == .notAvailable)
    phone.serviceFiles.refuse = { _, _ in nil }
    #expect(add() == .success)
  }

  // MARK: Files

  @Test func `writes the schema of the system, and no clear text`() throws {
    let secret = Array("a secret that nobody may find".utf8)
    #expect(add("sb-demo-auth-token", .whenUnlocked, secret) == .success)
    let columns = try database().rows("SELECT name FROM pragma_table_info('genp')")
    #expect(
      columns.compactMap { $0.first?.text }.joined(separator: " ")
        == "rowid cdat mdat desc icmt crtr type scrp labl alis invi nega cusi prot acct svce gena "
        + "data agrp pdmn sync tomb sha1 vwht tkid musr UUID sysb pcss pcsk pcsi persistref clip "
        + "ggrp")
    let unique = try database().rows(
      "SELECT c.name FROM pragma_index_list('genp') i, pragma_index_info(i.name) c "
        + "WHERE i.origin = 'u' ORDER BY c.seqno")
    #expect(
      unique.compactMap { $0.first?.text }
        == ["acct", "svce", "agrp", "sync", "vwht", "tkid", "musr", "ggrp"])
    let row = try #require(
      try database().rows("SELECT acct, svce, gena, pdmn, agrp, mdat FROM genp").first)
    let digest = DatabaseValue.blob(try sha256(Array("sb-demo-auth-token".utf8)))
    #expect(row[0] == digest && row[2] == digest)
    #expect(row[1] == .blob(try sha256(Array("app:no-auth".utf8))))
    #expect(row[3] == "ak" && row[4] == .text(IOSLayout.accessGroup))
    #expect(row[5] == .real(721_692_800))
    #expect(try database().rows("SELECT version, minor FROM tversion") == [[12, 11]])
    for name in ["", "-wal"] {
      let bytes = try phone.scratch.bytes(
        of: String(IOSLayout.keychainDatabase.dropFirst()) + name)
      #expect(!contains(bytes, secret))
      #expect(!contains(bytes, Array("sb-demo-auth-token".utf8)))
    }
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    Data(bytes).range(of: Data(part)) != nil
  }

  @Test func `keeps database, log and keybag to itself`() throws {
    _ = add()
    let database = IOSLayout.keychainDatabase
    for path in [database, "\(database)-wal", "\(database)-shm", IOSLayout.keybag] {
      let attributes = try FileManager.default.attributesOfItem(atPath: phone.url(path).path)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(path)")
    }
    #expect(try self.database().value("PRAGMA journal_mode") == "wal")
    #expect(try self.database().value("PRAGMA auto_vacuum") == 2)
  }

  @Test func `makes the phone's key durable, whole, before the first item`() {
    _ = add()
    #expect(
      phone.serviceJournal.lines.prefix(6) == [
        "create device.kb.new", "write device.kb.new", "fsync device.kb.new",
        "close device.kb.new", "rename device.kb", "syncdir keybags",
      ])
  }

  // MARK: The lab's requests

  @Test func `lists names and sizes, and no value`() {
    _ = add("a", .whenUnlocked, Array("secret".utf8))
    _ = add("b", .afterFirstUnlock, [1, 2])
    _ = phone.ask(.setLockState(.locked))
    let answer = phone.ask(.list)
    #expect(answer?.items?.map(\.name) == ["a", "b"])
    #expect(answer?.items?.map(\.bytes) == [6, 2])
    #expect(answer?.items?.first?.digest?.prefix(4) == "2bb8")
    #expect(answer?.text.contains(Hexadecimal.encode(Array("secret".utf8))) == false)
  }

  @Test func `drops what no backup carries, and says how much that was`() {
    for accessibility in Accessibility.allCases { _ = add(accessibility.rawValue, accessibility) }
    let answer = phone.ask(.dropPasscodeItems)
    #expect(answer.map(\.text).flatMap(ServiceRequest.itemsRemoved) == 1)
    #expect(phone.ask(.dropPasscodeItems)?.removedCount == 0)
    #expect(
      phone.ask(.list)?.items?.map(\.detail)
        == ["ak", "ck", "dk", "aku", "cku", "dku"].map { "app:no-auth \($0)" })
  }

  @Test func `takes to another phone what migrates, under another key`() throws {
    for accessibility in Accessibility.allCases { _ = add(accessibility.rawValue, accessibility) }
    let before = try phone.scratch.bytes(of: String(IOSLayout.keybag.dropFirst()))
    #expect(phone.ask(.moveToNewDevice) == KeychainAnswer(.success, removedCount: 4))
    #expect(try phone.scratch.bytes(of: String(IOSLayout.keybag.dropFirst())) != before)
    phone.restartDaemon()
    #expect(phone.ask(.list)?.items?.map(\.name) == ["ak", "ck", "dk"])
    #expect(phone.ask(.copyMatching(IOSLayout.keyItem(for: "ck")))?.data == [1])
  }

  @Test func `understands its own requests, and refuses others`() throws {
    let item = SecItem(query: query, accessibility: .afterFirstUnlock, data: [1, 2])
    let requests: [KeychainRequest] = [
      .add(item), .update(query, data: []),
      .update(query, data: [], accessibility: .always), .copyMatching(query), .delete(query), .list,
      .setLockState(.locked), .dropPasscodeItems, .moveToNewDevice, .ping, .quit,
    ]
    for request in requests { #expect(try KeychainRequest(request.text) == request) }
    for text in [
      "", "{}", #"{"call":"SecItemAdd"}"#, #"{"call":"format"}"#, #"{"call":"list","x":1}"#,
      #"{"call":"setLockState","state":"open"}"#,
    ] {
      #expect(throws: (any Error).self) { try KeychainRequest(text) }
    }
    #expect(KeychainAnswer.reading("nonsense") == KeychainAnswer(.notAvailable))
  }

  /// SQLite's generator belongs to the process, so this needs one of its own.
  @Test func `writes equal bytes in equal runs, and others with another seed`() async {
    await #expect(processExitsWith: .success) {
      func run(_ seed: UInt64) throws -> [UInt8] {
        let phone = try TestPhone(databaseSeed: seed)
        let item = SecItem(
          query: IOSLayout.keyItem(for: "k"), accessibility: .whenUnlocked, data: [1, 2, 3])
        #expect(phone.ask(.add(item))?.status == .success)
        return try phone.scratch.bytes(of: "\(IOSLayout.keychainDatabase.dropFirst())-wal")
      }
      let (first, second, other) = (try run(3), try run(3), try run(4))
      #expect(first == second)
      #expect(first != other)
    }
  }
}
