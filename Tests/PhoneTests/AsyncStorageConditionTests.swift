import Machine
import Phone
import Ports
import TestSupport
import Testing

@Suite struct `AsyncStorage on iOS, over what it finds` {
  let phone: TestPhone

  init() throws {
    phone = try TestPhone()
  }

  private func saved() async throws {
    let storage = phone.launch()
    try await storage.multiSet([("long", longValue), ("short", "s")])
  }

  @Test func `starts empty without a manifest`() async throws {
    #expect(try await phone.launch().item("k") == nil)
    #expect(!phone.exists(phone.layout.manifest))
  }

  @Test func `reads what another launch wrote`() async throws {
    try await saved()
    let storage = phone.launch()
    #expect(try await storage.item("long") == longValue)
    #expect(try await storage.item("short") == "s")
  }

  @Test(arguments: ["", "{\"long\":nu", "{\"short\":\"s\"}\u{0}\u{0}", "\u{0}\u{0}", "[1]"])
  func `replaces a manifest that is text and no JSON, at the next write`(text: String)
    async throws
  {
    try await saved()
    try phone.put(text, at: phone.layout.manifest)
    let storage = phone.launch()
    #expect(try await storage.item("short") == nil)
    #expect(try phone.text(of: phone.layout.manifest) == text)
    #expect(phone.console.errors == ["Failed to parse manifest - creating a new one."])
    try await storage.setItem("new", to: "n")
    #expect(try phone.text(of: phone.layout.manifest) == #"{"new":"n"}"#)
    #expect(phone.exists(try phone.layout.valueFile(for: "long")))
  }

  @Test func `is frozen by a manifest that is no UTF-8, and never overwrites it`() async throws {
    try await saved()
    let bytes: [UInt8] = [0x7b, 0xff, 0xfe, 0x7d]
    try phone.put(bytes, at: phone.layout.manifest)
    let storage = phone.launch()
    for _ in 0..<2 {
      let reading = await #expect(throws: NativeError.self) { try await storage.item("short") }
      #expect(
        reading?.message.hasPrefix(
          "Failed to read storage file.Error Domain=NSCocoaErrorDomain Code=259") == true)
      let writing = await #expect(throws: NativeError.self) {
        try await storage.setItem("short", to: "t")
      }
      #expect(writing?.message.hasPrefix("Failed to read storage file.") == true)
    }
    #expect(try Array(phone.text(of: phone.layout.manifest).utf8).count > 0)
    #expect(try phone.scratch.bytes(of: String(phone.layout.manifest.dropFirst())) == bytes)
  }

  @Test func `is frozen, and says 257, while the files are sealed`() async throws {
    try await saved()
    let storage = phone.launch()
    phone.files.refuse = { call, _ in call == "read" ? FileError.notPermitted : nil }
    let error = await #expect(throws: NativeError.self) { try await storage.item("short") }
    #expect(error?.message.contains("Code=257") == true)
    phone.files.refuse = { _, _ in nil }
    #expect(try await storage.item("short") == "s")
  }

  @Test func `gives null for a file that is gone, and forgets it in memory only`() async throws {
    try await saved()
    try phone.bare.unlink(try phone.layout.valueFile(for: "long"))
    let storage = phone.launch()
    #expect(try await storage.item("long") == nil)
    #expect(try await storage.allKeys() == ["short"])
    #expect(try phone.text(of: phone.layout.manifest).contains("long"))
  }

  @Test(arguments: ["", "0123"])
  func `gives a cut value as it is`(text: String) async throws {
    try await saved()
    try phone.put(text, at: try phone.layout.valueFile(for: "long"))
    phone.settings.asyncStorage.version = .three
    #expect(try await phone.launch().item("long") == text)
  }

  @Test(arguments: [AsyncStorageVersion.two, .three])
  func `rejects a value that cannot be read; 2.x then forgets the key`(
    version: AsyncStorageVersion
  ) async throws {
    try await saved()
    try phone.put([0xff], at: try phone.layout.valueFile(for: "long"))
    phone.settings.asyncStorage.version = version
    let storage = phone.launch()
    let error = await #expect(throws: NativeError.self) { try await storage.item("long") }
    switch version {
    case .two:
      #expect(error?.message.hasPrefix("Failed to read storage file.") == true)
      #expect(try await storage.item("long") == nil)
    case .three, .threeScoped:
      let plain = NativeError(
        code: "AsyncStorageError", message: "Failed to get values for keys")
      #expect(error == plain)
      await #expect(throws: plain) { try await storage.item("long") }
    }
  }

  @Test func `does not see what changes on disk behind its back`() async throws {
    try await saved()
    let storage = phone.launch()
    #expect(try await storage.item("long") == longValue)
    try phone.put(otherLongValue, at: try phone.layout.valueFile(for: "long"))
    try phone.put("{}", at: phone.layout.manifest)
    #expect(try await storage.item("long") == longValue)
    storage.receiveMemoryWarning()
    #expect(try await storage.item("long") == otherLongValue)
    #expect(try await phone.launch().item("long") == nil)
  }
}
