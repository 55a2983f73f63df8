import Phone
import Ports
import Testing

@Suite struct `AsyncStorage on iOS, when it writes` {
  let phone: TestPhone

  init() throws {
    phone = try TestPhone()
  }

  /// The temporary name's random part is the same in every run.
  private func atomic(_ target: String) -> [String] {
    let steps = phone.journal.lines
    let temporary =
      steps.first { $0.hasPrefix("create .dat.nosync1A2B.") }?.dropFirst("create ".count) ?? "?"
    return [
      "create \(temporary)", "write \(temporary)", "fsync \(temporary)", "setxattr \(temporary)",
      "rename \(target)", "close \(temporary)",
    ]
  }

  private var valueFile: String {
    get throws {
      let path = try phone.layout.valueFile(for: "k")
      return String(path.split(separator: "/").last ?? "")
    }
  }

  @Test func `saves a new long value as a file, then the manifest, each by sync and rename`()
    async throws
  {
    let storage = phone.launch()
    try await storage.setItem("k", to: longValue)
    let lines = phone.journal.take()
    let temporaries = lines.filter { $0.hasPrefix("create ") }.map { $0.dropFirst(7) }
    #expect(temporaries.count == 2)
    #expect(Set(temporaries).count == 2)
    let (first, second) = (temporaries[0], temporaries[1])
    #expect(first.hasPrefix(".dat.nosync1A2B."))
    #expect(first.utf8.count == ".dat.nosync1A2B.XXXXXX".utf8.count)
    let file = try valueFile
    #expect(
      lines == [
        "point B0", "create \(first)", "write \(first)", "fsync \(first)", "setxattr \(first)",
        "rename \(file)", "close \(first)", "point B1", "create \(second)", "write \(second)",
        "fsync \(second)", "setxattr \(second)", "rename manifest.json", "close \(second)",
        "point M1",
      ])
    #expect(try phone.text(of: phone.layout.manifest) == #"{"k":null}"#)
    #expect(try phone.text(of: try phone.layout.valueFile(for: "k")) == longValue)
    #expect(try phone.names(in: phone.layout.storage).sorted() == [file, "manifest.json"].sorted())
  }

  @Test func `leaves the manifest alone when a long value replaces a long one`() async throws {
    let storage = phone.launch()
    try await storage.setItem("k", to: longValue)
    _ = phone.journal.take()
    try await storage.setItem("k", to: otherLongValue)
    #expect(phone.journal.lines == ["point B0"] + atomic(try valueFile) + ["point B1"])
  }

  @Test func `removes the file before the manifest when a short value replaces a long one`()
    async throws
  {
    let storage = phone.launch()
    try await storage.setItem("k", to: longValue)
    _ = phone.journal.take()
    try await storage.setItem("k", to: "short")
    #expect(
      phone.journal.lines
        == ["point B0", "unlink \(try valueFile)"] + atomic("manifest.json")
        + ["point B1", "point M1"])
    #expect(try phone.text(of: phone.layout.manifest) == #"{"k":"short"}"#)
  }

  @Test func `writes short values into the manifest only`() async throws {
    let storage = phone.launch()
    try await storage.setItem("k", to: "short")
    #expect(
      phone.journal.lines == ["point B0"] + atomic("manifest.json") + ["point B1", "point M1"])
  }

  @Test(arguments: [(1024, true), (1025, false)])
  func `keeps 1024 units of UTF-16 inline and not one more`(count: Int, isInline: Bool)
    async throws
  {
    let storage = phone.launch()
    // Each is one unit of UTF-16 and two bytes.
    try await storage.setItem("k", to: String(repeating: "ö", count: count))
    #expect(phone.exists(try phone.layout.valueFile(for: "k")) == !isInline)
  }

  @Test func `counts an emoji as two units`() async throws {
    let storage = phone.launch()
    try await storage.setItem("k", to: String(repeating: "😀", count: 513))
    #expect(phone.exists(try phone.layout.valueFile(for: "k")))
  }

  @Test func `removes the file, then the entry`() async throws {
    let storage = phone.launch()
    try await storage.setItem("k", to: longValue)
    _ = phone.journal.take()
    try await storage.removeItem("k")
    #expect(
      phone.journal.lines
        == ["unlink \(try valueFile)"] + atomic("manifest.json") + ["point M1"])
    #expect(try phone.text(of: phone.layout.manifest) == "{}")
    _ = phone.journal.take()
    try await storage.removeItem("k")
    #expect(phone.journal.lines.isEmpty)
  }

  @Test func `writes the manifest once for many keys`() async throws {
    let storage = phone.launch()
    try await storage.multiSet([("a", "1"), ("b", longValue), ("c", "3")])
    #expect(phone.journal.lines.filter { $0 == "rename manifest.json" }.count == 1)
    #expect(try phone.text(of: phone.layout.manifest) == #"{"a":"1","b":null,"c":"3"}"#)
    try await storage.multiRemove(["a", "b", "nothing"])
    #expect(try phone.text(of: phone.layout.manifest) == #"{"c":"3"}"#)
    #expect(try await storage.allKeys() == ["c"])
  }

  @Test func `escapes slashes in the manifest as Foundation does`() async throws {
    try await phone.launch().setItem("a/b", to: "c/d")
    #expect(try phone.text(of: phone.layout.manifest) == #"{"a\/b":"c\/d"}"#)
    #expect(try await phone.launch().item("a/b") == "c/d")
  }

  @Test func `goes on after a short write`() async throws {
    let storage = phone.launch()
    phone.files.writeMax = 100
    try await storage.setItem("k", to: longValue)
    #expect(try await phone.launch().item("k") == longValue)
  }

  @Test func `can take an item-replacement directory instead of a sibling`() async throws {
    phone.settings.asyncStorage.temporaryFile = .itemReplacement
    try await phone.launch().setItem("k", to: longValue)
    let lines = phone.journal.lines
    #expect(lines.contains("create \(try valueFile)"))
    #expect(!lines.contains { $0.contains("nosync") })
    #expect(lines.filter { $0.hasPrefix("rmdir NSIRD_demo_") }.count == 2)
    #expect(try await phone.launch().item("k") == longValue)
  }

  @Test func `draws another name when the temporary one is taken`() async throws {
    let storage = phone.launch()
    var refusals = 2
    phone.files.refuse = { call, path in
      guard call == "create", refusals > 0 else { return nil }
      refusals -= 1
      return FileError.exists
    }
    try await storage.setItem("k", to: "v")
    let names = phone.journal.lines.filter { $0.hasPrefix("create ") }
    #expect(Set(names).count == 3)
  }

  @Test func `merges objects level by level in 2.x, and does nothing in 3.x`() async throws {
    let storage = phone.launch()
    try await storage.setItem("k", to: #"{"a":{"x":1,"y":2},"b":[1]}"#)
    try await storage.mergeItem("k", with: #"{"a":{"y":3},"b":[2]}"#)
    #expect(try await storage.item("k") == #"{"a":{"x":1,"y":3},"b":[2]}"#)
    phone.settings.asyncStorage.version = .three
    let newer = phone.launch()
    try await newer.mergeItem("k", with: #"{"a":5}"#)
    #expect(try await newer.item("k") == #"{"a":{"x":1,"y":3},"b":[2]}"#)
  }

  @Test(arguments: [true, false])
  func `syncs a file before it takes its name, where the system does`(syncs: Bool) async throws {
    phone.settings.asyncStorage.syncsFiles = syncs
    try await phone.launch().setItem("k", to: longValue)
    #expect(phone.journal.lines.contains { $0.hasPrefix("fsync ") } == syncs)
    #expect(try await phone.launch().item("k") == longValue)
  }

  @Test func `merges what can be merged, and writes the manifest once`() async throws {
    let storage = phone.launch()
    try await storage.multiSet([("a", "{}"), ("b", "no object"), ("c", "{}")])
    _ = phone.journal.take()
    await #expect(throws: NativeError.self) {
      try await storage.mergeAll([("a", #"{"x":1}"#), ("b", "{}"), ("c", #"{"y":2}"#)])
    }
    #expect(phone.journal.lines.count { $0 == "rename manifest.json" } == 1)
    let later = phone.launch()
    #expect(try await later.item("a") == #"{"x":1}"#)
    #expect(try await later.item("b") == "no object")
    #expect(try await later.item("c") == #"{"y":2}"#)
  }

  @Test func `gives an empty value as null in 2.x and as it is in 3.x`() async throws {
    try await phone.launch().setItem("k", to: "")
    #expect(try await phone.launch().item("k") == nil)
    phone.settings.asyncStorage.version = .three
    #expect(try await phone.launch().item("k") == "")
  }

  @Test func `refuses an empty key`() async throws {
    let error = await #expect(throws: NativeError.self) {
      try await phone.launch().setItem("", to: "v")
    }
    #expect(error?.message.hasPrefix("Invalid key - must be at least one character.") == true)
  }
}
