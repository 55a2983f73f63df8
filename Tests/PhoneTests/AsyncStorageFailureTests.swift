import Phone
import Ports
import Testing

@Suite struct `AsyncStorage on iOS, when a write fails` {
  let phone: TestPhone

  init() throws {
    phone = try TestPhone()
  }

  private func refuse(_ call: String, _ code: Int32, on ending: String = "") {
    phone.files.refuse = { asked, path in
      asked == call && (ending.isEmpty || path.hasSuffix(ending)) ? code : nil
    }
  }

  @Test(arguments: ["create", "write", "fsync", "rename"])
  func `rejects with 640 when the disk is full, and leaves no temporary file`(call: String)
    async throws
  {
    try await phone.launch().setItem("k", to: longValue)
    let storage = phone.launch()
    refuse(call, FileError.noSpace)
    let error = await #expect(throws: NativeError.self) {
      try await storage.setItem("k", to: otherLongValue)
    }
    #expect(
      error?.message.hasPrefix(
        "Failed to write value.Error Domain=NSCocoaErrorDomain Code=640") == true)
    #expect(try phone.names(in: phone.layout.storage).count == 2)
    #expect(try await phone.launch().item("k") == longValue)
  }

  @Test(arguments: [(Int32(1), 513), (13, 513), (2, 4), (5, 512), (30, 642)])
  func `says Foundation's code for the system's`(code: Int32, cocoa: Int) async throws {
    let storage = phone.launch()
    _ = try await storage.item("k")
    refuse("create", code)
    let error = await #expect(throws: NativeError.self) {
      try await storage.setItem("k", to: "v")
    }
    #expect(
      error?.message.hasPrefix(
        "Failed to write manifest file.Error Domain=NSCocoaErrorDomain Code=\(cocoa)") == true)
  }

  @Test(arguments: [Int32(95), 38, FileError.noSpace, 5, 30])
  func `does not mind what becomes of the attribute`(code: Int32) async throws {
    let storage = phone.launch()
    refuse("setxattr", code)
    try await storage.setItem("k", to: longValue)
    #expect(try await phone.launch().item("k") == longValue)
  }

  @Test func `gives the new value until the process ends when a file could not be replaced (2.x)`()
    async throws
  {
    try await phone.launch().setItem("k", to: longValue)
    let storage = phone.launch()
    refuse("fsync", FileError.noSpace)
    await #expect(throws: NativeError.self) { try await storage.setItem("k", to: otherLongValue) }
    #expect(try await storage.item("k") == otherLongValue)
    #expect(try await phone.launch().item("k") == longValue)
  }

  @Test func `gives the old value when a file could not be replaced (3.x)`() async throws {
    phone.settings.asyncStorage.version = .three
    try await phone.launch().setItem("k", to: longValue)
    let storage = phone.launch()
    refuse("fsync", FileError.noSpace)
    await #expect(
      throws: NativeError(
        code: "AsyncStorageError", message: "Failed to set key-value pairs")
    ) { try await storage.setItem("k", to: otherLongValue) }
    #expect(try await storage.item("k") == longValue)
  }

  @Test func `gives the new short value until the process ends when the manifest is not written`()
    async throws
  {
    try await phone.launch().setItem("k", to: "old")
    let storage = phone.launch()
    refuse("rename", FileError.noSpace, on: "manifest.json")
    await #expect(throws: NativeError.self) { try await storage.setItem("k", to: "new") }
    #expect(try await storage.item("k") == "new")
    #expect(try await phone.launch().item("k") == "old")
    #expect(!phone.journal.lines.suffix(3).contains("point M1"))
  }

  @Test func `keeps the keys before a failed one, and names each failed one`() async throws {
    let storage = phone.launch()
    let failing = try phone.layout.valueFile(for: "b")
    refuse("rename", FileError.noSpace, on: failing)
    let error = await #expect(throws: AsyncStorageFailure.self) {
      try await storage.multiSet([("a", "1"), ("b", longValue), ("c", "3")])
    }
    #expect(error?.errors.map(\.key) == ["b"])
    #expect(try phone.text(of: phone.layout.manifest) == #"{"a":"1","c":"3"}"#)
  }

  @Test func `does not report a value file that could not be removed`() async throws {
    let storage = phone.launch()
    try await storage.setItem("k", to: longValue)
    refuse("unlink", FileError.inputOutput)
    try await storage.removeItem("k")
    #expect(phone.exists(try phone.layout.valueFile(for: "k")))
    #expect(try await phone.launch().item("k") == nil)
  }

  @Test func `rejects when the directory cannot be made`() async throws {
    let storage = phone.launch()
    refuse("mkdir", FileError.noSpace)
    let error = await #expect(throws: NativeError.self) { try await storage.item("k") }
    #expect(error?.message.hasPrefix("Failed to create storage directory.") == true)
  }

  // MARK: Kills

  @Test func `leaves the temporary file and the old value when killed inside a write`()
    async throws
  {
    try await phone.launch().setItem("k", to: longValue)
    let storage = phone.launch()
    phone.files.dies = { call, _ in call == "fsync" }
    await #expect(throws: NativeError.self) { try await storage.setItem("k", to: otherLongValue) }
    let left = try phone.names(in: phone.layout.storage)
    #expect(left.filter { $0.hasPrefix(".dat.nosync1A2B.") }.count == 1)
    #expect(try await phone.launch().item("k") == longValue)
  }

  @Test func `orphans the file of a first write when killed before the manifest`() async throws {
    let storage = phone.launch()
    phone.files.dies = { call, path in call == "rename" && path.hasSuffix("manifest.json") }
    await #expect(throws: NativeError.self) { try await storage.setItem("k", to: longValue) }
    #expect(phone.exists(try phone.layout.valueFile(for: "k")))
    #expect(try await phone.launch().item("k") == nil)
  }

  @Test func `loses a value that shrinks when killed before the manifest`() async throws {
    try await phone.launch().setItem("k", to: longValue)
    let storage = phone.launch()
    phone.files.dies = { call, path in call == "rename" && path.hasSuffix("manifest.json") }
    await #expect(throws: NativeError.self) { try await storage.setItem("k", to: "short") }
    #expect(try phone.text(of: phone.layout.manifest) == #"{"k":null}"#)
    #expect(try await phone.launch().item("k") == nil)
  }
}
