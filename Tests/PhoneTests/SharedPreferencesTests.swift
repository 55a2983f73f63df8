import Ports
import Testing

@testable import Phone

@Suite struct `Shared preferences` {
  typealias Phone = AndroidTestPhone
  let phone: Phone

  init() throws {
    phone = try Phone()
  }

  /// Stores a value in a process of its own.
  private func store(_ value: String, under name: String = "k") throws {
    #expect(try phone.preferences().commit([.put(name, value)]))
    _ = phone.journal.take()
  }

  /// What the next process reads.
  private func stored(_ name: String = "k") throws -> String? {
    try phone.preferences().text(name)
  }

  // MARK: The order of calls

  @Test func `make their directory and file at the first write`() throws {
    #expect(try phone.preferences().commit([.put("k", "v")]))
    #expect(
      phone.journal.lines == [
        "create SecureStore.xml", "create SecureStore.xml", "write SecureStore.xml",
        "fsync SecureStore.xml", "close SecureStore.xml", "unlink SecureStore.xml.bak",
      ])
    #expect(!phone.exists(Phone.backup))
    #expect(try stored() == "v")
  }

  @Test func `set the old file aside, write, sync, and remove the old one`() throws {
    try store("v")
    let preferences = try phone.preferences()
    _ = phone.journal.take()
    #expect(preferences.commit([.put("k", "w")]))
    #expect(
      phone.journal.lines == [
        "rename SecureStore.xml.bak", "create SecureStore.xml", "write SecureStore.xml",
        "fsync SecureStore.xml", "close SecureStore.xml", "unlink SecureStore.xml.bak",
      ])
    #expect(try stored() == "w")
  }

  @Test func `keep the backup of an earlier failure, and remove the newer file`() throws {
    try store("v")
    let preferences = try phone.preferences()
    try phone.put("<map />", at: Phone.backup)
    _ = phone.journal.take()
    #expect(preferences.commit([.put("k", "w")]))
    #expect(phone.journal.lines.prefix(2) == ["unlink SecureStore.xml", "create SecureStore.xml"])
    #expect(try stored() == "w")
  }

  @Test func `write nothing without a change`() throws {
    try store("v")
    let preferences = try phone.preferences()
    _ = phone.journal.take()
    #expect(preferences.commit([.put("k", "v"), .remove("other")]))
    #expect(phone.journal.lines.isEmpty)
  }

  @Test func `write an empty map without a change when there is no file`() throws {
    #expect(try phone.preferences().commit([.remove("k")]))
    #expect(try phone.text(of: Phone.main).hasSuffix("?>\n<map />\n"))
  }

  // MARK: Kills

  @Test(arguments: [
    ("rename", "v"), ("create", "v"), ("write", "v"), ("fsync", "v"), ("unlink", "v"), ("", "w"),
  ])
  func `show the old values until the backup is gone`(dies: String, expected: String) throws {
    try store("v")
    let preferences = try phone.preferences()
    phone.files.dies = { call, _ in call == dies }
    _ = preferences.commit([.put("k", "w")])
    #expect(try stored() == expected)
    #expect(!phone.exists(Phone.backup))
  }

  @Test func `show the old values when a write was cut in the middle`() throws {
    try store("v")
    let preferences = try phone.preferences()
    phone.files.writeMax = 60
    phone.files.dies = dieAtSecondWrite()
    #expect(!preferences.commit([.put("k", "w")]))
    #expect(try phone.text(of: Phone.main).utf8.count == 60)
    #expect(try stored() == "v")
  }

  @Test func `are empty when the very first write was cut`() throws {
    let preferences = try phone.preferences()
    phone.files.writeMax = 60
    phone.files.dies = dieAtSecondWrite()
    #expect(!preferences.commit([.put("k", "v")]))
    #expect(phone.exists(Phone.main))
    #expect(try stored() == nil)
  }

  private func dieAtSecondWrite() -> (String, String) -> Bool {
    var count = 0
    return { call, _ in
      if call == "write" { count += 1 }
      return count == 2
    }
  }

  // MARK: Power cuts

  @Test func `take a backup that came back for the truth`() throws {
    try store("v")
    let old = try phone.text(of: Phone.main)
    try store("w")
    try phone.put(old, at: Phone.backup)
    #expect(try phone.preferences().text("k") == "v")
    #expect(!phone.exists(Phone.backup))
    #expect(try phone.text(of: Phone.main) == old)
  }

  @Test func `keep the new values when the backup did not come back`() throws {
    try store("v")
    try store("w")
    #expect(try stored() == "w")
  }

  // MARK: Failures

  @Test func `report a rename that fails, and go on with the new values in memory`() throws {
    try store("v")
    let preferences = try phone.preferences()
    phone.files.refuse = { call, _ in call == "rename" ? FileError.noAccess : nil }
    #expect(!preferences.commit([.put("k", "w")]))
    #expect(preferences.text("k") == "w")
    #expect(try stored() == "v")
  }

  @Test func `report a full disk at the opening, and keep the backup`() throws {
    try store("v")
    let preferences = try phone.preferences()
    phone.files.refuse = { call, _ in call == "create" ? FileError.noSpace : nil }
    #expect(!preferences.commit([.put("k", "w")]))
    #expect(!phone.exists(Phone.main))
    #expect(phone.exists(Phone.backup))
    #expect(preferences.text("k") == "w")
    #expect(try stored() == "v")
  }

  @Test func `remove what a full disk cut, and keep the backup`() throws {
    try store("v")
    let preferences = try phone.preferences()
    phone.files.refuse = { call, _ in call == "write" ? FileError.noSpace : nil }
    #expect(!preferences.commit([.put("k", "w")]))
    #expect(phone.journal.lines.last == "unlink SecureStore.xml")
    #expect(!phone.exists(Phone.main))
    #expect(try stored() == "v")
  }

  @Test func `write again after a failure, without a change`() throws {
    try store("v")
    let preferences = try phone.preferences()
    phone.files.refuse = { call, _ in call == "rename" ? FileError.noAccess : nil }
    #expect(!preferences.commit([.put("k", "w")]))
    #expect(!preferences.commit([]))
    phone.files.refuse = { _, _ in nil }
    #expect(preferences.commit([]))
    #expect(try stored() == "w")
  }

  @Test(arguments: PreferencesSettings.SyncError.allCases)
  func `do with an error of fsync what the setting says`(
    setting: PreferencesSettings.SyncError
  ) throws {
    try store("v")
    phone.settings.preferences.syncError = setting
    let preferences = try phone.preferences()
    phone.files.refuse = { call, _ in call == "fsync" ? FileError.inputOutput : nil }
    #expect(preferences.commit([.put("k", "w")]) == (setting == .ignored))
    #expect(try stored() == (setting == .ignored ? "w" : "v"))
  }

  // MARK: Loading

  @Test(arguments: ["", "<map", "\u{0}\u{0}\u{0}", "<map><string name=\"k\">v</string>"])
  func `are empty when the file is no map, and lose it at the next write`(text: String) throws {
    try phone.put(text, at: Phone.main)
    let preferences = try phone.preferences()
    #expect(preferences.map.entries.isEmpty)
    #expect(preferences.commit([.put("other", "v")]))
    #expect(try stored() == nil)
    #expect(try stored("other") == "v")
  }

  @Test func `are empty when the file cannot be read`() throws {
    try store("v")
    let files = NotedFileSystem(phone.bare, phone.journal)
    files.refuse = { call, _ in call == "pread" ? FileError.inputOutput : nil }
    let preferences = try SharedPreferences(
      Phone.main, on: files, settings: PreferencesSettings())
    #expect(preferences.map.entries.isEmpty)
  }

  @Test(arguments: [FileError.notPermitted, FileError.noAccess])
  func `refuse before the first unlock, and touch nothing`(code: Int32) throws {
    try store("v")
    try phone.put("<map />", at: Phone.backup)
    let files = NotedFileSystem(phone.bare, phone.journal)
    files.refuse = { call, _ in call == "read" ? code : nil }
    #expect(throws: UserLocked.self) {
      try SharedPreferences(Phone.main, on: files, settings: PreferencesSettings())
    }
    #expect(phone.exists(Phone.backup))
    #expect(try phone.text(of: Phone.main).contains("v</string>"))
  }

  @Test func `can be looked at without a change`() throws {
    try store("v")
    let old = try phone.text(of: Phone.main)
    try store("w")
    #expect(SharedPreferences.peek(Phone.main, on: phone.bare)["k"] == .text("w"))
    try phone.put(old, at: Phone.backup)
    #expect(SharedPreferences.peek(Phone.main, on: phone.bare)["k"] == .text("v"))
    #expect(phone.exists(Phone.backup))
  }

  @Test func `keep values of other types through a rewrite`() throws {
    let entries = """
          <set name="t">
              <string>x</string>
          </set>
          <int name="i" value="3" />

      """
    try phone.put("<map>\n\(entries)</map>\n", at: Phone.main)
    #expect(try phone.preferences().commit([.put("k", "v")]))
    #expect(try phone.text(of: Phone.main).contains(entries))
  }

  // MARK: Applying

  @Test func `apply to memory at once and to the disk later`() throws {
    try store("v")
    let preferences = try phone.preferences()
    preferences.apply([.put("k", "w")])
    #expect(preferences.text("k") == "w")
    #expect(try phone.text(of: Phone.main).contains(">v<"))
    #expect(preferences.finishQueued())
    #expect(try phone.text(of: Phone.main).contains(">w<"))
  }

  @Test func `write of several applied states only the last`() throws {
    try store("v")
    let preferences = try phone.preferences()
    _ = phone.journal.take()
    preferences.apply([.put("k", "w")])
    preferences.apply([.put("k", "x")])
    preferences.finishQueued()
    #expect(phone.journal.lines.filter { $0.hasPrefix("write") }.count == 1)
    #expect(try stored() == "x")
  }

  @Test func `write an applied state with the commit that follows it`() throws {
    try store("v")
    let preferences = try phone.preferences()
    _ = phone.journal.take()
    preferences.apply([.put("k", "w")])
    #expect(preferences.commit([.put("other", "v")]))
    #expect(phone.journal.lines.filter { $0.hasPrefix("write") }.count == 1)
    #expect(try stored() == "w")
  }

  @Test func `lose an applied state with the process`() throws {
    try store("v")
    try phone.preferences().apply([.put("k", "w")])
    #expect(try stored() == "v")
  }
}
