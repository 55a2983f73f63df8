import Machine
import Phone
import Ports
import Testing

@Suite struct `The keychain module on iOS` {
  let phone: TestPhone

  init() throws {
    phone = try TestPhone()
  }

  @Test func `adds a new item, then deletes what older versions left`() async throws {
    try await phone.keychain().setItem("k", to: "v")
    #expect(
      phone.journal.lines == [
        "point K0", "Add app:no-auth 0", "Delete app -25300", "Delete app:auth -25300", "point K1",
      ])
  }

  @Test func `updates an item that is there, in a second transaction`() async throws {
    try await phone.keychain().setItem("k", to: "v")
    _ = phone.journal.take()
    try await phone.keychain().setItem("k", to: "w")
    #expect(
      phone.journal.lines == [
        "point K0", "Add app:no-auth -25299", "Update app:no-auth 0", "point K1",
      ])
    #expect(try await phone.keychain().item("k") == "w")
  }

  @Test func `looks without authentication, with it, and under the legacy service`()
    async throws
  {
    #expect(try await phone.keychain().item("k") == nil)
    #expect(
      phone.journal.take() == [
        "CopyMatching app:no-auth -25300", "CopyMatching app:auth -25300",
        "CopyMatching app -25300",
      ])
    try await phone.keychain().setItem("k", to: "v")
    _ = phone.journal.take()
    #expect(try await phone.keychain().item("k") == "v")
    #expect(phone.journal.lines == ["CopyMatching app:no-auth 0"])
  }

  @Test(arguments: [":auth", ""])
  func `finds an item of an older version, and a set removes it`(suffix: String) async throws {
    let query = IOSLayout.keyItem(for: "k", suffix: suffix)
    _ = phone.ask(
      .add(SecItem(query: query, accessibility: .whenUnlocked, data: Array("old".utf8))))
    #expect(try await phone.keychain().item("k") == "old")
    try await phone.keychain().setItem("k", to: "new")
    #expect(phone.ask(.list)?.items?.map(\.detail) == ["app:no-auth ak"])
  }

  @Test func `deletes all three, and never rejects`() async throws {
    try await phone.keychain().setItem("k", to: "v")
    _ = phone.journal.take()
    try await phone.keychain().removeItem("k")
    #expect(
      phone.journal.lines == [
        "Delete app -25300", "Delete app:auth -25300", "Delete app:no-auth 0",
      ])
    phone.daemon.service = nil
    try await phone.keychain().removeItem("k")
  }

  @Test func `does not change the accessibility of an item that is there`() async throws {
    try await phone.keychain().setItem("k", to: "v")
    phone.settings.accessibility = .afterFirstUnlock
    try await phone.keychain().setItem("k", to: "w")
    #expect(phone.ask(.list)?.items?.map(\.detail) == ["app:no-auth ak"])
    try await phone.keychain().setItem("other", to: "w")
    #expect(phone.ask(.list)?.items?.map(\.detail) == ["app:no-auth ak", "app:no-auth ck"])
  }

  @Test func `changes it since August 2026`() async throws {
    try await phone.keychain().setItem("k", to: "v")
    phone.settings.accessibility = .afterFirstUnlock
    phone.settings.updateSetsAccessibility = true
    try await phone.keychain().setItem("k", to: "w")
    #expect(phone.ask(.list)?.items?.map(\.detail) == ["app:no-auth ck"])
    #expect(try await phone.keychain().item("k") == "w")
  }

  @Test func `gives an item the class that its save asks for, before the setting's`() async throws {
    phone.settings.accessibility = .always
    try await phone.keychain().setItem("k", to: "v", accessible: .afterFirstUnlock)
    try await phone.keychain().setItem("other", to: "v", accessible: nil)
    #expect(phone.ask(.list)?.items?.map(\.detail) == ["app:no-auth ck", "app:no-auth dk"])
    _ = phone.ask(.setLockState(.locked))
    #expect(try await phone.keychain().item("k") == "v")
  }

  @Test(arguments: ["", "a b", "ö", "a/b", "a\n"])
  func `refuses a name that is not made of letters, digits and three signs`(name: String)
    async throws
  {
    let error = await #expect(throws: NativeError.self) {
      try await phone.keychain().setItem(name, to: "v")
    }
    #expect(error?.code == nil)
    #expect(error?.message.hasPrefix("Invalid key provided to SecureStore.") == true)
    await #expect(throws: NativeError.self) { try await phone.keychain().item(name) }
    await #expect(throws: NativeError.self) { try await phone.keychain().removeItem(name) }
    #expect(phone.journal.lines.isEmpty)
  }

  @Test func `takes every sign that is allowed`() async throws {
    try await phone.keychain().setItem("sb-Demo_1.auth-token", to: "v")
    #expect(try await phone.keychain().item("sb-Demo_1.auth-token") == "v")
  }

  @Test func `says what the keychain says, and not that the key is written`() async throws {
    _ = phone.ask(.setLockState(.locked))
    let locked = await #expect(throws: NativeError.self) {
      try await phone.keychain().setItem("k", to: "v")
    }
    #expect(
      locked
        == NativeError(
          code: "ERR_KEY_CHAIN",
          message: "Calling the 'setValueWithKeyAsync' function has failed\n→ Caused by: "
            + "User interaction is not allowed."))
    #expect(phone.journal.take() == ["point K0", "Add app:no-auth -25308"])
    phone.daemon.service = nil
    let gone = await #expect(throws: NativeError.self) { try await phone.keychain().item("k") }
    #expect(
      gone?.message
        == "Calling the 'getValueWithKeyAsync' function has failed\n→ Caused by: "
        + "No keychain is available. You may need to restart your computer.")
  }

  @Test func `reads bytes that are no text as nothing`() async throws {
    let query = IOSLayout.keyItem(for: "k")
    _ = phone.ask(.add(SecItem(query: query, accessibility: .whenUnlocked, data: [0xff])))
    #expect(try await phone.keychain().item("k") == nil)
  }

  @Test func `runs calls one after the other, in the order of arrival`() throws {
    let journal = Journal()
    let slow = SlowDaemon(journal)
    let module = KeychainModule(daemon: slow, points: NotedPoints(journal))
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
    let once = ["point K0", "call", "call", "call", "point K1"]
    #expect(journal.lines == once + once)
  }

  /// Lets others run before it answers with success.
  private final class SlowDaemon: SystemDaemon {
    let journal: Journal

    init(_ journal: Journal) {
      self.journal = journal
    }

    func call(_ request: String) async throws(DaemonUnavailable) -> String {
      journal.note("call")
      await Task.yield()
      return KeychainAnswer(.success).text
    }
  }
}
