import Chaos
import Device
import Phone
import Testing

@Suite struct `Lint, of the two halves` {
  private func windows(_ points: [String], since: Int = 0) throws -> [LintWindow] {
    var phone = LintedDevice(.strict)
    for point in points { try phone.reach(point) }
    return phone.windows(of: .halvesApart, since: since)
  }

  @Test func `tells between which points one is new and the other old`() throws {
    let window = try #require(try windows(["S0", "K0", "K1", "B0", "B1", "S1"]).first)
    #expect(window.place == "K1 (key written) to B1 (blob written)")
    #expect(window.detail == "a kill at K1, B0 leaves halves of different saves")
    #expect(window.leaves.hasPrefix("the new key with the old blob"))
    #expect(window.command == "lab inject kill@K1")
    #expect(window.first == 3 && window.last == 5 && window.milliseconds == 2)
  }

  @Test(arguments: [
    ["S0", "K0", "K1", "S1"], ["S0", "B0", "B1", "S1"], ["S0", "B0", "B1", "M1", "S1", "E1"],
    ["S0", "K0"], ["S0", "K0", "K1"],
  ]) func `tells nothing of a store of one half`(points: [String]) throws {
    #expect(try windows(points).isEmpty)
  }

  @Test func `counts the index to the blob`() throws {
    let found = try windows(["S0", "K0", "K1", "B0", "B1", "M1", "S1"])
    #expect(found.map(\.place) == ["K1 (key written) to M1 (manifest written)"])
    #expect(found.map(\.detail) == ["a kill at K1, B0, B1 leaves halves of different saves"])
  }

  @Test func `knows a store that writes the blob first`() throws {
    let found = try windows(["S0", "B0", "B1", "M1", "K0", "K1", "S1"])
    #expect(found.map(\.place) == ["B1 (blob written) to K1 (key written)"])
    #expect(found.map(\.command) == ["lab inject kill@B1"])
    #expect(found.first?.leaves.hasPrefix("the new blob with the old key") == true)
  }

  @Test func `folds the saves of one store, and tells each store`() throws {
    let save = ["S0", "K0", "K1", "B0", "B1", "S1"]
    #expect(try windows(save + save + save).map(\.count) == [3])
    #expect(try windows(save + ["S0", "B1", "K1", "S1"]).count == 2)
    #expect(try windows(save + save, since: save.count).map(\.count) == [1])
  }

  @Test func `finds a window again by its rule and its place`() throws {
    let save = ["S0", "K0", "K1", "B0", "B1", "S1"]
    var phone = LintedDevice(.strict)
    for point in save + ["S0", "B1", "K1", "S1"] + save { try phone.reach(point) }
    #expect(phone.windows(of: .halvesApart, since: 0).map(\.count) == [2, 1])
  }

  @Test func `tells that a save which was not finished leaves them apart`() throws {
    let save = ["S0", "K0", "K1", "B0", "B1", "S1"]
    let found = try windows(save + ["S0", "K0", "K1"], since: save.count)
    #expect(found.map(\.place) == ["from K1 (key written) on"])
    #expect(found.first?.isOpen == true)
    // The next save, or a recovery, ends it.
    let saved = try windows(save + ["S0", "K0", "K1"] + save)
    #expect(saved.count == 1 && saved.first?.count == 2 && saved.first?.isOpen == false)
    let healed = try windows(save + ["K1", "R0", "R1"], since: save.count)
    #expect(healed.map(\.place) == ["K1 (key written) to R1 (recovery ends)"])
  }

  @Test func `does not know what a power cut left of it`() throws {
    var phone = LintedDevice(.strict)
    try phone.reach("K1", "B1", "S1", "K1")
    phone.device = phone.device.crashState(.none)
    try phone.reach("B1", "S1")
    let found = phone.windows(of: .halvesApart, since: 3)
    #expect(found.map(\.last) == [4])
    #expect(found.map(\.detail) == ["the save was not finished; then a power cut or a reset"])
  }

  // MARK: - What is stored now

  private func key(_ name: String, bytes: Int = 64) -> Inventory.KeyItem {
    Inventory.KeyItem(name: name, detail: "ak:no-auth", bytes: bytes)
  }

  private func phone(
    keys: [Inventory.KeyItem]?, blob: String?, inFile file: String? = nil
  ) throws -> LintedDevice {
    var phone = LintedDevice(.strict)
    if let file { _ = try phone.create("blob", file) }
    var blobs: [Inventory.BlobItem] = []
    if let blob {
      blobs.append(Inventory.BlobItem(name: blob, file: "/blob", bytes: file?.utf8.count))
    }
    phone.inventory = Inventory(keys: keys, blobs: blobs, indexes: [])
    return phone
  }

  @Test func `tells a key without a blob, and nothing of a secret that is no key`() throws {
    let found = try phone(keys: [key("session")], blob: nil).windows(of: .halvesApart)
    #expect(found.map(\.place) == ["session, now"])
    #expect(found.map(\.detail) == ["a key of 64 bytes, and no blob"])
    #expect(try phone(keys: [key("pin", bytes: 4)], blob: nil).report().windows.isEmpty)
  }

  @Test func `tells a ciphertext without a key, and nothing of a plain value`() throws {
    let found = try phone(keys: [], blob: "session", inFile: "00ffAB12").windows(of: .halvesApart)
    #expect(found.map(\.detail) == ["a ciphertext, and no key"])
    #expect(try phone(keys: [], blob: "theme", inFile: #"{"dark":1}"#).report().windows.isEmpty)
  }

  @Test func `tells nothing of a pair, but that the file of one is missing`() throws {
    let whole = try phone(keys: [key("session")], blob: "session", inFile: "00ffAB12")
    #expect(whole.report().windows.isEmpty)
    let torn = try phone(keys: [key("session")], blob: "session")
    #expect(
      torn.windows(of: .halvesApart).map(\.detail) == ["the index names a file that is missing"])
  }

  @Test func `does not guess what a service holds that does not answer`() throws {
    let report = try phone(keys: nil, blob: "session", inFile: "00ffAB12").report()
    #expect(report.windows.isEmpty)
    #expect(
      report.notJudged.last == "what the key half holds now: its service does not answer")
  }
}

@Suite struct `Lint, of items` {
  private func phone(key bytes: Int = 64, blob: Int = 10) -> LintedDevice {
    var phone = LintedDevice(.ordered)
    phone.inventory = Inventory(
      keys: [Inventory.KeyItem(name: "session", detail: "ak:no-auth", bytes: bytes)],
      blobs: [Inventory.BlobItem(name: "session", file: "/session", bytes: blob)],
      indexes: [])
    return phone
  }

  @Test func `tells one that is over a limit, and not one at it`() {
    let found = phone(key: 2049).windows(of: .itemOverLimit)
    #expect(found.map(\.detail) == ["2049 bytes, over 2048"])
    #expect(found.first?.leaves.hasSuffix("nothing is lost") == true)
    #expect(found.first?.command == nil)
    #expect(phone(key: 2048).report().windows.isEmpty)
  }

  @Test(arguments: [
    (1_500_000, []), (1_600_000, ["1600000 bytes, near 2097152"]),
    (2_200_000, ["2200000 bytes, over 2097152"]),
    (5_000_000, ["5000000 bytes, over 2097152", "5000000 bytes, near 6291456"]),
  ]) func `tells a value that is near a limit or over it`(bytes: Int, details: [String]) {
    #expect(phone(blob: bytes).windows(of: .itemOverLimit).map(\.detail) == details)
  }

  /// Saves texts under one name, each acknowledged.
  private func reuses(_ texts: [String], keyName: String = "session") throws -> [LintWindow] {
    var phone = phone()
    phone.inventory.keys?[0].name = keyName
    for text in texts {
      try phone.replace("session", text)
      try phone.reach("S1")
    }
    return phone.windows(of: .keyReused)
  }

  @Test func `tells two ciphertexts of one name that begin alike`() throws {
    let found = try reuses(["0011223344556677aa", "0011223344556677bb"])
    #expect(found.map(\.place) == ["session"])
    #expect(found.first?.first == 6 && found.first?.last == 12)
  }

  @Test(arguments: [
    ["0011223344556677aa", "0011223344556688aa"], ["0011223344556677aa", "0011223344556677aa"],
    ["0011223344556677aa"], ["{\"access_token\":\"a", "{\"access_token\":\"b"],
  ]) func `tells nothing of a fresh key, of one text saved twice, nor of plain text`(
    texts: [String]
  ) throws {
    #expect(try reuses(texts).isEmpty)
  }

  @Test func `tells nothing of a value that has no key`() throws {
    #expect(try reuses(["0011223344556677aa", "0011223344556677bb"], keyName: "pin").isEmpty)
  }
}

@Suite struct `A lint report` {
  @Test func `says what was not judged without points`() throws {
    var phone = LintedDevice(.posixWeak)
    _ = try phone.create("file", "text")
    let report = phone.report()
    #expect(report.operations == 1...2 && report.saveCount == 0)
    #expect(
      report.notJudged == [
        "unsynced-at-acknowledgement, key-reused: no save was acknowledged (point S1)",
        "halves-apart between two operations: no half was announced (points K1, B1)",
      ])
    try phone.reach("K1", "B1", "S1")
    #expect(phone.report().notJudged.isEmpty)
    var ideal = LintedDevice(.strict)
    try ideal.reach("K1", "B1", "S1")
    #expect(
      ideal.report().notJudged == [
        "key-reused: all was durable at once, and the log has no content then"
      ])
  }

  @Test func `has no operations when nothing happened`() throws {
    var phone = LintedDevice(.posixWeak)
    #expect(phone.report() == LintReport())
    _ = try phone.create("file", "text")
    #expect(phone.report(since: 2) == LintReport())
  }

  @Test func `puts the most harmful first, and the open ones before the closed`() throws {
    var phone = LintedDevice(.posixWeak)
    try phone.replace("file", "text", syncs: false)
    try phone.reach("K1", "B1", "S1", "K1")
    let report = phone.report()
    #expect(
      report.windows.map(\.rule) == [
        .halvesApart, .halvesApart, .unsyncedAtAcknowledgement, .directoryNotSynced,
      ])
    #expect(report.windows.map(\.isOpen) == [true, false, true, true])
    #expect(report.count(of: .halvesApart) == 2)
  }

  @Test func `survives its way through JSON, and tells no times unless asked`() throws {
    var phone = LintedDevice(.posixWeak)
    try phone.replace("file", "text", syncs: false)
    try phone.reach("K1", "B1", "S1")
    let report = phone.report()
    #expect(LintReport(report.json(withTimes: true)) == report)
    #expect(report.windows.contains { $0.milliseconds != nil })
    #expect(LintReport(report.json()).windows.allSatisfy { $0.milliseconds == nil })
    #expect(try PhoneVerb(PhoneVerb.lint(since: 7).text) == .lint(since: 7))
  }
}
