import Machine
import Ports
import SQLite
import TestSupport
import Testing

@testable import Phone

@Suite struct `The keystore's service` {
  let phone: AndroidTestPhone
  let alias = SecureStoreEntry.alias(requiresAuthentication: false)
  let authenticated = SecureStoreEntry.alias(requiresAuthentication: true)
  let plaintext = Array("0123456789abcdef".utf8)

  init() throws {
    phone = try AndroidTestPhone()
  }

  private func status(_ request: KeystoreRequest) -> KeystoreStatus? { phone.ask(request)?.status }

  private func generate(_ alias: String, _ requiresAuthentication: Bool = false) {
    #expect(
      status(.generateKey(alias: alias, requiresAuthentication: requiresAuthentication))
        == .success)
  }

  private func sealed(_ alias: String) throws -> (nonce: [UInt8], data: [UInt8]) {
    let answer = try #require(phone.ask(.encrypt(alias: alias, plaintext)))
    return (try #require(answer.nonce), try #require(answer.data))
  }

  private func database() throws -> Connection {
    try Connection("\(phone.scratch.path)\(AndroidLayout.keystoreDatabase)")
  }

  // MARK: Keys

  @Test func `gives back what it encrypted, also after it was killed`() throws {
    generate(alias)
    let (nonce, data) = try sealed(alias)
    #expect(nonce.count == 12)
    #expect(data.count == plaintext.count + 16)
    #expect(phone.ask(.decrypt(alias: alias, nonce: nonce, data: data))?.data == plaintext)
    phone.startDaemon(seed: 2)
    #expect(phone.ask(.decrypt(alias: alias, nonce: nonce, data: data))?.data == plaintext)
  }

  @Test func `draws another nonce for every encryption`() throws {
    generate(alias)
    #expect(try sealed(alias).nonce != sealed(alias).nonce)
  }

  @Test func `refuses another ciphertext, another nonce and another key`() throws {
    generate(alias)
    let (nonce, data) = try sealed(alias)
    var other = data
    other[0] ^= 1
    #expect(status(.decrypt(alias: alias, nonce: nonce, data: other)) == .verificationFailed)
    other = nonce
    other[11] ^= 1
    #expect(status(.decrypt(alias: alias, nonce: other, data: data)) == .verificationFailed)
    #expect(status(.decrypt(alias: alias, nonce: [1], data: data)) == .invalidNonce)
    #expect(status(.decrypt(alias: alias, nonce: nonce, data: [])) == .verificationFailed)
    generate(alias)
    #expect(status(.decrypt(alias: alias, nonce: nonce, data: data)) == .verificationFailed)
  }

  @Test func `does not find what is not there`() {
    #expect(status(.contains(alias: alias)) == .keyNotFound)
    #expect(status(.encrypt(alias: alias, [])) == .keyNotFound)
    #expect(status(.decrypt(alias: alias, nonce: [], data: [])) == .keyNotFound)
    #expect(status(.deleteKey(alias: alias)) == .keyNotFound)
  }

  @Test func `lists keys in the order of their making, one for each alias`() {
    generate(authenticated, true)
    generate(alias)
    generate(authenticated, true)
    #expect(phone.ask(.list)?.aliases == [alias, authenticated])
    #expect(status(.deleteKey(alias: alias)) == .success)
    #expect(phone.ask(.list)?.aliases == [authenticated])
    #expect(status(.contains(alias: alias)) == .keyNotFound)
    #expect(status(.contains(alias: authenticated)) == .success)
  }

  @Test func `clears the app's namespace, and no other`() throws {
    generate(alias)
    try database().run("INSERT INTO keyentry(id, domain, namespace, state) VALUES(1, 0, 10200, 1)")
    #expect(status(.clearNamespace) == .success)
    #expect(phone.ask(.list)?.aliases == [])
    let database = try database()
    #expect(try database.value("SELECT namespace FROM keyentry") == 10200)
    for table in ["blobentry", "keyparameter", "keymetadata"] {
      #expect(try database.value("SELECT count(*) FROM \(table)") == 0)
    }
  }

  @Test func `stores keys under the app's user id, wrapped`() throws {
    generate(alias)
    let row = try #require(
      try database().rows(
        "SELECT namespace, domain, alias, length(blob), length(km_uuid) FROM keyentry "
          + "JOIN blobentry ON keyentryid = keyentry.id"
      ).first)
    #expect(row == [10123, 0, .text(alias), 60, 16])
    #expect(try database().value("SELECT data FROM keymetadata") == .integer(1_700_000_000_000))
  }

  @Test func `cannot use a key of another phone`() throws {
    generate(alias)
    let (nonce, data) = try sealed(alias)
    try phone.put(String(repeating: "x", count: 32), at: AndroidLayout.keyMintSecret)
    phone.startDaemon()
    #expect(status(.contains(alias: alias)) == .success)
    #expect(status(.decrypt(alias: alias, nonce: nonce, data: data)) == .invalidKeyBlob)
    #expect(status(.encrypt(alias: alias, plaintext)) == .invalidKeyBlob)
    generate(alias)
    #expect(status(.encrypt(alias: alias, plaintext)) == .success)
  }

  // MARK: Authentication

  @Test func `uses a key that needs the owner only while the phone is unlocked`() {
    generate(authenticated, true)
    generate(alias)
    for state in LockState.allCases {
      #expect(status(.setLockState(state)) == .success)
      #expect(
        status(.encrypt(alias: authenticated, plaintext))
          == (state == .unlocked ? .success : .userNotAuthenticated))
      #expect(status(.encrypt(alias: alias, plaintext)) == .success)
    }
  }

  @Test func `loses keys that need the owner to new biometrics, for ever, and no others`() throws {
    generate(authenticated, true)
    generate(alias)
    let (nonce, data) = try sealed(authenticated)
    #expect(status(.invalidateAuthenticated) == .success)
    phone.startDaemon()
    #expect(status(.contains(alias: authenticated)) == .success)
    #expect(
      status(.decrypt(alias: authenticated, nonce: nonce, data: data))
        == .keyPermanentlyInvalidated)
    #expect(status(.encrypt(alias: authenticated, [])) == .keyPermanentlyInvalidated)
    #expect(status(.encrypt(alias: alias, [])) == .success)
    generate(authenticated, true)
    #expect(status(.encrypt(alias: authenticated, [])) == .success)
  }

  // MARK: The database

  @Test(arguments: KeystoreSettings.Journal.allCases)
  func `journals as the setting says`(journal: KeystoreSettings.Journal) throws {
    phone.settings.keystore.journal = journal
    phone.startDaemon()
    generate(alias)
    #expect(phone.exists("\(AndroidLayout.keystoreDatabase)-wal") == (journal == .wal))
    #expect(try database().value("PRAGMA journal_mode") == .text(journal.rawValue))
    phone.daemon.service?.stop()
    #expect(status(.contains(alias: alias)) == .success)
  }

  @Test func `answers that it is out of order while its database is damaged`() throws {
    generate(alias)
    phone.daemon.service?.stop()
    let path = AndroidLayout.keystoreDatabase
    let sound = try phone.bare.contents(of: path)
    try phone.put(String(repeating: "no database", count: 500), at: path)
    #expect(status(.contains(alias: alias)) == .systemError)
    #expect(status(.list) == .systemError)
    #expect(status(.ping) == .success)
    #expect(phone.console.errors.count == 2)
    let file = try phone.bare.open(path, .replace, permissions: 0o600)
    try phone.bare.writeAll(sound, to: file)
    phone.bare.close(file)
    #expect(status(.contains(alias: alias)) == .success)
  }

  @Test func `writes the same bytes for the same seed`() throws {
    let images = try [UInt64(1), 1, 2].map { seed in
      let phone = try AndroidTestPhone()
      phone.startDaemon(seed: seed)
      _ = phone.ask(.generateKey(alias: alias, requiresAuthentication: false))
      phone.daemon.service?.stop()
      return try phone.bare.contents(of: AndroidLayout.keystoreDatabase)
    }
    #expect(images[0] == images[1])
    #expect(images[0] != images[2])
  }

  // MARK: The channel

  @Test(arguments: [
    KeystoreRequest.generateKey(alias: "a", requiresAuthentication: true),
    .contains(alias: "a"), .encrypt(alias: "a", [1]),
    .decrypt(alias: "a", nonce: [1], data: [2]), .deleteKey(alias: "a"), .list, .clearNamespace,
    .invalidateAuthenticated, .setLockState(.locked), .ping, .quit,
  ])
  func `reads a request as it was sent`(request: KeystoreRequest) throws {
    #expect(try KeystoreRequest(request.text) == request)
  }

  @Test func `reads an answer as it was sent, and nothing else as one`() {
    let answer = KeystoreAnswer(.success, nonce: [1], data: [2], aliases: ["a"])
    #expect(KeystoreAnswer.reading(answer.text) == answer)
    #expect(KeystoreAnswer.reading("{").status == .systemError)
    #expect(KeystoreAnswer.reading("{}").status == .systemError)
  }

  @Test func `says when a key was committed, and when it has to end`() throws {
    let service = try #require(phone.daemon.service)
    let generate = KeystoreRequest.generateKey(alias: "a", requiresAuthentication: false)
    #expect(
      service.reply(to: generate.text)
        == ServiceReply(text: #"{"status":0}"#, commitsItem: true))
    #expect(service.reply(to: KeystoreRequest.deleteKey(alias: "b").text).commitsItem == false)
    #expect(service.reply(to: ServiceRequest.quit).ends)
    #expect(service.reply(to: ServiceRequest.ping).ends == false)
    #expect(service.reply(to: ServiceRequest.setLockState(.locked)).text == #"{"status":0}"#)
    #expect(service.reply(to: "{").text == #"{"status":20}"#)
    #expect(ServiceRequest.itemsRemoved(by: #"{"status":20}"#) == nil)
    #expect(ServiceRequest.itemsRemoved(by: #"{"status":0}"#) == 0)
  }
}
