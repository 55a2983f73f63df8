import Machine
import Ports
import Testing

@testable import Phone

@Suite struct `SecureStore on Android` {
  typealias Version = SecureStoreSettings.Version
  let phone: AndroidTestPhone
  let alias = SecureStoreEntry.alias(requiresAuthentication: false)

  init() throws {
    phone = try AndroidTestPhone()
  }

  private func set(_ value: String, _ name: String = "k") async throws {
    try await phone.launch().setItem(name, to: value)
    _ = phone.journal.take()
  }

  private func failure(
    _ code: String, _ function: String, _ cause: String
  ) -> NativeError {
    NativeError(
      code: code,
      message: "Call to function 'ExpoSecureStore.\(function)' has been rejected.\n"
        + "→ Caused by: \(cause)")
  }

  private func decryptFailure(_ reason: String) -> NativeError {
    failure(
      "ERR_DECRYPT", "getValueWithKeyAsync",
      "Could not decrypt the value for key 'k' under keychain 'key_v1'. Caused by: \(reason)")
  }

  /// The text of the entry as it is stored.
  private func entry(_ name: String = "key_v1-k") -> String? {
    guard case .text(let text) = stored[name] else { return nil }
    return text
  }

  private var stored: PreferencesMap {
    SharedPreferences.peek(AndroidTestPhone.main, on: phone.bare)
  }

  /// Puts entries where the next launch finds them.
  private func store(_ entries: [String: String]) throws {
    var map = PreferencesMap()
    for (name, text) in entries.sorted(by: { $0.key < $1.key }) { map[name] = .text(text) }
    try phone.put(
      String(decoding: PreferencesXML.bytes(of: map), as: UTF8.self), at: AndroidTestPhone.main)
  }

  // MARK: Values

  @Test func `makes a key at the first write, encrypts, and commits between its two points`()
    async throws
  {
    let module = phone.launch()
    try await module.setItem("k", to: "v")
    #expect(
      phone.journal.take().filter { !$0.hasSuffix("SecureStore.xml") } == [
        "point K0", "contains 7", "generateKey 0", "encrypt 0", "unlink SecureStore.xml.bak",
        "point K1",
      ])
    #expect(try await module.item("k") == "v")
    #expect(phone.journal.take() == ["contains 0", "decrypt 0"])
    #expect(try await phone.launch().item("k") == "v")
    #expect(try await module.item("other") == nil)
  }

  @Test func `stores the members in their order, with slashes escaped`() async throws {
    let text = SecureStoreEntry(
      ciphertext: [0xff, 0xef, 0xbe, 0xfb], nonce: [0xfb], requiresAuthentication: false
    ).text
    #expect(
      text
        == #"{"ct":"\/+++ +w==","iv":"+w==","tlen":128,"scheme":"aes","usesKeystoreSuffix":true,"#
        .filter { $0 != " " } + #""keystoreAlias":"key_v1","requireAuthentication":false}"#)
    try await set("v")
    let stored = try #require(entry())
    let head = try SecureStoreEntry.header(of: stored, for: "k")
    #expect(try SecureStoreEntry(head, for: "k").text == stored)
    #expect(try phone.text(of: AndroidTestPhone.main).contains("{&quot;ct&quot;:&quot;"))
  }

  @Test(arguments: ["", "a b", "ö", "a/b", "a\n"])
  func `refuses a name that is not made of letters, digits and three signs`(name: String) async {
    let module = phone.launch()
    let error = await #expect(throws: NativeError.self) { try await module.setItem(name, to: "v") }
    #expect(error?.code == nil)
    #expect(error?.message.hasPrefix("Invalid key provided to SecureStore.") == true)
    await #expect(throws: NativeError.self) { try await module.item(name) }
    await #expect(throws: NativeError.self) { try await module.removeItem(name) }
    #expect(phone.journal.lines.isEmpty)
  }

  @Test func `reads an entry of an older version, and the next write replaces it`() async throws {
    _ = phone.ask(
      .generateKey(alias: SecureStoreEntry.legacyAlias, requiresAuthentication: false))
    let sealed = try #require(
      phone.ask(.encrypt(alias: SecureStoreEntry.legacyAlias, Array("old".utf8))))
    let text = SecureStoreEntry(
      ciphertext: sealed.data ?? [], nonce: sealed.nonce ?? [], requiresAuthentication: false
    ).text
    let older = text.split(separator: #""usesKeystoreSuffix":true,"#).joined()
    try store(["k": older, "other": "x"])
    #expect(try await phone.launch().item("k") == "old")
    try await set("new")
    #expect(stored.entries.map(\.name).sorted() == ["key_v1-k", "other"])
    #expect(try await phone.launch().item("k") == "new")
  }

  // MARK: Lost keys

  @Test(arguments: Version.allCases)
  func `reads an entry without its key as its version does`(version: Version) async throws {
    try await set("v")
    try await set("w", "other")
    _ = phone.ask(.clearNamespace)
    phone.settings.secureStore.version = version
    switch version {
    case .before13:
      for _ in 0..<2 {
        let error = await #expect(throws: NativeError.self) {
          try await phone.launch().item("k")
        }
        #expect(
          error == decryptFailure("Could not decrypt the value with provided keychain "))
      }
      #expect(phone.ask(.contains(alias: alias))?.status == .success)
      #expect(entry() != nil)
    case .from13, .commitChecked:
      #expect(try await phone.launch().item("k") == nil)
      #expect(phone.ask(.contains(alias: alias))?.status == .keyNotFound)
      #expect(entry() == nil)
    }
    #expect(entry("key_v1-other") != nil)
  }

  @Test(arguments: Version.allCases)
  func `reads an entry of an older version without its key`(version: Version) async throws {
    try store(["k": #"{"ct":"","iv":"","tlen":128,"scheme":"aes"}"#])
    phone.settings.secureStore.version = version
    switch version {
    case .before13:
      let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
      #expect(error == decryptFailure("Could not find a keychain for key k"))
      #expect(entry("k") != nil)
    case .from13, .commitChecked:
      #expect(try await phone.launch().item("k") == nil)
      #expect(entry("k") == nil)
    }
  }

  @Test(arguments: Version.allCases)
  func `reads an entry under another key as its version does`(version: Version) async throws {
    try await set("v")
    _ = phone.ask(.clearNamespace)
    try await set("w", "other")
    phone.settings.secureStore.version = version
    if version == .before13 {
      let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
      #expect(error?.code == "ERR_DECRYPT")
      #expect(entry() != nil)
    } else {
      #expect(try await phone.launch().item("k") == nil)
      #expect(entry() == nil)
    }
    #expect(try await phone.launch().item("other") == "w")
  }

  @Test func `takes a keystore that is out of order for one without the key`() async throws {
    try await set("v")
    phone.daemon.refuse = { _ in .systemError }
    let module = phone.launch()
    let error = await #expect(throws: NativeError.self) { try await module.setItem("k", to: "w") }
    #expect(
      error
        == failure(
          "ERR_WRITE", "setValueWithKeyAsync",
          "An error occurred when writing to key: 'k' under keychain: 'key_v1'. Caused by: "
            + "Keystore key generation failed"))
    #expect(entry() != nil)
    #expect(try await module.item("k") == nil)
    #expect(entry() == nil)
  }

  @Test func `keeps an entry when the keystore fails at decrypting only`() async throws {
    try await set("v")
    phone.daemon.refuse = { if case .decrypt = $0 { .invalidKeyBlob } else { nil } }
    let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
    #expect(error == decryptFailure("Keystore operation failed"))
    #expect(entry() != nil)
  }

  @Test(arguments: [
    ("x", "Could not parse the encrypted JSON item in SecureStore: "),
    ("{}", "Could not find the encryption scheme used for key: k"),
    (#"{"scheme":"rot"}"#, "The item for key k in SecureStore has an unknown encoding scheme rot)"),
    (#"{"scheme":"aes","usesKeystoreSuffix":true}"#, "No value for ct"),
    (
      #"{"scheme":"aes","usesKeystoreSuffix":true,"ct":"*","iv":"","tlen":128}"#, "bad base-64"
    ),
    (
      #"{"scheme":"aes","usesKeystoreSuffix":true,"ct":"","iv":""}"#, "No value for tlen"
    ),
    (
      #"{"scheme":"aes","usesKeystoreSuffix":true,"ct":"","iv":"","tlen":64}"#,
      "Authentication tag length must be at least 96 bits long"
    ),
    (
      #"{"scheme":"aes","usesKeystoreSuffix":true,"ct":"","iv":"AA==","tlen":128}"#, "Invalid IV"
    ),
  ])
  func `rejects a damaged entry, and keeps it`(text: String, reason: String) async throws {
    try await set("v", "other")
    try store(["key_v1-k": text])
    for version in Version.allCases {
      phone.settings.secureStore.version = version
      let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
      #expect(error?.code == "ERR_DECRYPT")
      #expect(error?.message.hasPrefix(decryptFailure(reason).message) == true, "\(version)")
    }
    #expect(entry() == text)
  }

  // MARK: Authentication

  @Test func `reads null under a dead key, and a write drops all that it had`() async throws {
    try await set("free", "free")
    phone.settings.secureStore.requiresAuthentication = true
    try await set("v")
    try await set("w", "other")
    #expect(try await phone.launch().item("k") == "v")
    _ = phone.ask(.invalidateAuthenticated)
    #expect(try await phone.launch().item("k") == nil)
    #expect(entry() != nil)
    _ = phone.journal.take()
    try await phone.launch().setItem("k", to: "x")
    #expect(
      phone.journal.take().filter { !$0.contains("SecureStore.xml") } == [
        "point K0", "contains 0", "encrypt 17", "deleteKey 0", "contains 7", "generateKey 0",
        "encrypt 0", "point K1",
      ])
    #expect(try await phone.launch().item("k") == "x")
    #expect(try await phone.launch().item("other") == nil)
    #expect(try await phone.launch().item("free") == "free")
  }

  @Test func `gives up on a key that is dead at the second try as well`() async throws {
    phone.daemon.refuse = { if case .encrypt = $0 { .keyPermanentlyInvalidated } else { nil } }
    let error = await #expect(throws: NativeError.self) { try await set("v") }
    #expect(
      error
        == failure(
          "ERR_ENCRYPT", "setValueWithKeyAsync",
          "Could not encrypt the value for key 'k' under keychain 'key_v1'. Caused by: "
            + "Encryption Failed. The key k has been permanently invalidated and cannot be "
            + "reinitialized"))
  }

  @Test func `cannot ask the owner while the phone is locked`() async throws {
    phone.settings.secureStore.requiresAuthentication = true
    try await set("v")
    _ = phone.ask(.setLockState(.locked))
    let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
    #expect(error?.code == "ERR_AUTHENTICATION")
    phone.settings.secureStore.requiresAuthentication = false
    try await set("w", "free")
    #expect(try await phone.launch().item("free") == "w")
  }

  @Test func `rejects before the first unlock`() async throws {
    try await set("v")
    let module = phone.launch()
    phone.files.refuse = { call, _ in call == "read" ? FileError.notPermitted : nil }
    let exception =
      "SharedPreferences in credential encrypted storage are not available until after user "
      + "(id 0) is unlocked"
    let read = await #expect(throws: NativeError.self) { try await module.item("k") }
    #expect(
      read
        == failure(
          "ERR_UNEXPECTED", "getValueWithKeyAsync",
          "java.lang.IllegalStateException: \(exception)"))
    let deletion = await #expect(throws: NativeError.self) { try await module.removeItem("k") }
    #expect(
      deletion
        == failure(
          "ERR_DELETE", "deleteValueWithKeyAsync",
          "Could not delete the value for key 'k' under keychain 'key_v1'. Caused by: "
            + exception))
    await #expect(throws: NativeError.self) { try await module.setItem("k", to: "w") }
    phone.files.refuse = { _, _ in nil }
    #expect(try await module.item("k") == "v")
  }

  // MARK: Failed commits

  @Test(arguments: ["rename", "create", "write"], Version.allCases)
  func `resolves or rejects a commit that failed, as its version does`(
    call: String, version: Version
  ) async throws {
    try await set("v")
    phone.settings.secureStore.version = version
    let module = phone.launch()
    phone.files.refuse = { refused, _ in refused == call ? FileError.noSpace : nil }
    if version == .commitChecked {
      let error = await #expect(throws: NativeError.self) { try await module.setItem("k", to: "w") }
      #expect(
        error
          == failure(
            "ERR_WRITE", "setValueWithKeyAsync",
            "An error occurred when writing to key: 'k' under keychain: 'key_v1'. Caused by: "
              + "Could not write encrypted JSON to SecureStore"))
      #expect(!phone.journal.take().contains("point K1"))
      #expect(try await module.item("k") == "v")
    } else {
      try await module.setItem("k", to: "w")
      #expect(phone.journal.take().contains("point K1"))
      #expect(try await module.item("k") == "w")
    }
    #expect(try await phone.launch().item("k") == "v")
  }

  @Test func `takes back a first value that did not reach the disk`() async throws {
    phone.settings.secureStore.version = .commitChecked
    let module = phone.launch()
    phone.files.refuse = { call, _ in call == "create" ? FileError.noSpace : nil }
    await #expect(throws: NativeError.self) { try await module.setItem("k", to: "v") }
    #expect(try await module.item("k") == nil)
  }

  @Test(arguments: [("create", "v"), ("write", "v"), ("fsync", "v"), ("unlink", "v"), ("", "w")])
  func `shows the old value until the backup is gone`(dies: String, expected: String) async throws {
    try await set("v")
    let module = phone.launch()
    phone.files.dies = { call, _ in call == dies }
    try await module.setItem("k", to: "w")
    #expect(try await phone.launch().item("k") == expected)
  }

  // MARK: Deleting

  @Test func `deletes where the item is, and commits nothing else`() async throws {
    try await set("v")
    let module = phone.launch()
    try await module.removeItem("k")
    #expect(phone.journal.take().filter { $0.hasPrefix("write") } == ["write SecureStore.xml"])
    #expect(try await module.item("k") == nil)
    try await module.removeItem("k")
    #expect(phone.journal.take().isEmpty)
    #expect(!phone.exists(AndroidLayout.defaultPreferences))
    #expect(phone.ask(.list)?.aliases == [alias])
  }

  @Test func `deletes in all three places`() async throws {
    let oldest = AndroidLayout.defaultPreferences
    for deletes in SecureStoreSettings.Deletes.allCases {
      phone.settings.secureStore.deletes = deletes
      try store(["k": "x", "key_v1-k": "x", "other": "x"])
      try phone.put("<map><string name='k'>x</string></map>", at: oldest)
      try await phone.launch().removeItem("k")
      #expect(stored.entries.map(\.name) == ["other"])
      #expect(SharedPreferences.peek(oldest, on: phone.bare).entries.isEmpty)
    }
  }

  @Test func `commits both files at every delete, as newer versions do`() async throws {
    phone.settings.secureStore.deletes = .alwaysCommits
    try await phone.launch().removeItem("k")
    #expect(
      phone.journal.take().filter { $0.hasPrefix("write") } == [
        "write SecureStore.xml", "write com.example.demo_preferences.xml",
      ])
  }

  @Test(arguments: SecureStoreSettings.Deletes.allCases)
  func `rejects a delete that did not reach the disk, and again or not`(
    deletes: SecureStoreSettings.Deletes
  ) async throws {
    try await set("v")
    phone.settings.secureStore.deletes = deletes
    let module = phone.launch()
    phone.files.refuse = { call, _ in call == "rename" ? FileError.noAccess : nil }
    let error = await #expect(throws: NativeError.self) { try await module.removeItem("k") }
    #expect(
      error
        == failure(
          "ERR_DELETE", "deleteValueWithKeyAsync",
          "Could not delete the value for key 'k' under keychain 'key_v1'. Caused by: "
            + "Could not delete the item from SecureStore"))
    #expect(try await module.item("k") == nil)
    switch deletes {
    case .presentOnly: try await module.removeItem("k")
    case .alwaysCommits:
      await #expect(throws: NativeError.self) { try await module.removeItem("k") }
    }
    #expect(try await phone.launch().item("k") == "v")
  }

  @Test func `takes back a delete that did not reach the disk`() async throws {
    try await set("v")
    phone.settings.secureStore.version = .commitChecked
    phone.settings.secureStore.deletes = .alwaysCommits
    let module = phone.launch()
    phone.files.refuse = { call, _ in call == "rename" ? FileError.noAccess : nil }
    await #expect(throws: NativeError.self) { try await module.removeItem("k") }
    #expect(try await module.item("k") == "v")
  }

  // MARK: Order

  @Test func `runs calls one after the other, in the order of arrival`() throws {
    let module = phone.launch()
    nonisolated(unsafe) let shared = module
    MainExecutor().run {
      await withTaskGroup(of: Void.self) { group in
        for name in ["a", "b"] {
          group.addTask {
            do {
              try await unsafe shared.setItem(name, to: "v")
            } catch {
              Issue.record("\(error)")
            }
          }
        }
      }
    }
    #expect(
      phone.journal.lines.filter { $0.hasPrefix("point") } == [
        "point K0", "point K1", "point K0", "point K1",
      ])
  }
}
