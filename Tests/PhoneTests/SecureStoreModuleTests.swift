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

  private func decryptFailure(_ reason: String) -> NativeError {
    .secureStore(
      "ERR_DECRYPT", "getValueWithKeyAsync",
      "Could not decrypt the value for key 'k' under keychain 'key_v1'. Caused by: \(reason)")
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
    try await phone.set("v")
    let stored = try #require(phone.entry())
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
    try phone.store(["k": older, "other": "x"])
    #expect(try await phone.launch().item("k") == "old")
    try await phone.set("new")
    #expect(phone.stored.entries.map(\.name).sorted() == ["key_v1-k", "other"])
    #expect(try await phone.launch().item("k") == "new")
  }

  // MARK: Lost keys

  @Test(arguments: Version.allCases)
  func `reads an entry without its key as its version does`(version: Version) async throws {
    try await phone.set("v")
    try await phone.set("w", "other")
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
      #expect(phone.entry() != nil)
    case .from13, .commitChecked:
      #expect(try await phone.launch().item("k") == nil)
      #expect(phone.ask(.contains(alias: alias))?.status == .keyNotFound)
      #expect(phone.entry() == nil)
    }
    #expect(phone.entry("key_v1-other") != nil)
  }

  @Test(arguments: Version.allCases)
  func `reads an entry of an older version without its key`(version: Version) async throws {
    try phone.store(["k": #"{"ct":"","iv":"","tlen":128,"scheme":"aes"}"#])
    phone.settings.secureStore.version = version
    switch version {
    case .before13:
      let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
      #expect(error == decryptFailure("Could not find a keychain for key k"))
      #expect(phone.entry("k") != nil)
    case .from13, .commitChecked:
      #expect(try await phone.launch().item("k") == nil)
      #expect(phone.entry("k") == nil)
    }
  }

  @Test(arguments: Version.allCases)
  func `reads an entry under another key as its version does`(version: Version) async throws {
    try await phone.set("v")
    _ = phone.ask(.clearNamespace)
    try await phone.set("w", "other")
    phone.settings.secureStore.version = version
    if version == .before13 {
      let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
      #expect(error?.code == "ERR_DECRYPT")
      #expect(phone.entry() != nil)
    } else {
      #expect(try await phone.launch().item("k") == nil)
      #expect(phone.entry() == nil)
    }
    #expect(try await phone.launch().item("other") == "w")
  }

  @Test func `takes a keystore that is out of order for one without the key`() async throws {
    try await phone.set("v")
    phone.daemon.refuse = { _ in .systemError }
    let module = phone.launch()
    let error = await #expect(throws: NativeError.self) { try await module.setItem("k", to: "w") }
    #expect(
      error
        == .secureStore(
          "ERR_WRITE", "setValueWithKeyAsync",
          "An error occurred when writing to key: 'k' under keychain: 'key_v1'. Caused by: "
            + "Keystore key generation failed"))
    #expect(phone.entry() != nil)
    #expect(try await module.item("k") == nil)
    #expect(phone.entry() == nil)
  }

  @Test func `keeps an entry when the keystore fails at decrypting only`() async throws {
    try await phone.set("v")
    phone.daemon.refuse = { if case .decrypt = $0 { .invalidKeyBlob } else { nil } }
    let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
    #expect(error == decryptFailure("Keystore operation failed"))
    #expect(phone.entry() != nil)
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
    try await phone.set("v", "other")
    try phone.store(["key_v1-k": text])
    for version in Version.allCases {
      phone.settings.secureStore.version = version
      let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
      #expect(error?.code == "ERR_DECRYPT")
      #expect(error?.message.hasPrefix(decryptFailure(reason).message) == true, "\(version)")
    }
    #expect(phone.entry() == text)
  }

  // MARK: Authentication

  @Test func `reads null under a dead key, and a write drops all that it had`() async throws {
    try await phone.set("free", "free")
    phone.settings.secureStore.requiresAuthentication = true
    try await phone.set("v")
    try await phone.set("w", "other")
    #expect(try await phone.launch().item("k") == "v")
    _ = phone.ask(.invalidateAuthenticated)
    #expect(try await phone.launch().item("k") == nil)
    #expect(phone.entry() != nil)
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
    let error = await #expect(throws: NativeError.self) { try await phone.set("v") }
    #expect(
      error
        == .secureStore(
          "ERR_ENCRYPT", "setValueWithKeyAsync",
          "Could not encrypt the value for key 'k' under keychain 'key_v1'. Caused by: "
            + "Encryption Failed. The key k has been permanently invalidated and cannot be "
            + "reinitialized"))
  }

  @Test func `cannot ask the owner while the phone is locked`() async throws {
    phone.settings.secureStore.requiresAuthentication = true
    try await phone.set("v")
    _ = phone.ask(.setLockState(.locked))
    let error = await #expect(throws: NativeError.self) { try await phone.launch().item("k") }
    #expect(error?.code == "ERR_AUTHENTICATION")
    phone.settings.secureStore.requiresAuthentication = false
    try await phone.set("w", "free")
    #expect(try await phone.launch().item("free") == "w")
  }

  @Test func `rejects before the first unlock`() async throws {
    try await phone.set("v")
    let module = phone.launch()
    phone.files.refuse = { call, _ in call == "read" ? FileError.notPermitted : nil }
    let exception =
      "SharedPreferences in credential encrypted storage are not available until after user "
      + "(id 0) is unlocked"
    let read = await #expect(throws: NativeError.self) { try await module.item("k") }
    #expect(
      read
        == .secureStore(
          "ERR_UNEXPECTED", "getValueWithKeyAsync",
          "java.lang.IllegalStateException: \(exception)"))
    let deletion = await #expect(throws: NativeError.self) { try await module.removeItem("k") }
    #expect(
      deletion
        == .secureStore(
          "ERR_DELETE", "deleteValueWithKeyAsync",
          "Could not delete the value for key 'k' under keychain 'key_v1'. Caused by: "
            + exception))
    await #expect(throws: NativeError.self) { try await module.setItem("k", to: "w") }
    phone.files.refuse = { _, _ in nil }
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
