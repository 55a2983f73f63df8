import Chaos
import Device
import Phone
import Testing

/// A device that programs use, and what lint says about it.
struct LintedDevice {
  var device: StorageDevice
  var inventory = Inventory(keys: [], blobs: [], indexes: [])

  /// A device on which every path but `/other` has one profile.
  init(_ profile: PersistenceProfile) {
    var setup = DeviceSetup()
    setup.domains = [DurabilityDomain(name: "other", prefix: "/other", profile: .posixWeak)]
    setup.restProfile = profile
    device = StorageDevice(setup)
  }

  @discardableResult
  mutating func call(_ request: Request) throws(DeviceError) -> InodeID? {
    let now = Int64(device.operationCount) * 1_000_000
    guard case .reply(let result) = device.perform(request, by: ProcessNumber(7), at: now).answer,
      case .attributes(let attributes) = try result.get()
    else { return nil }
    return attributes.inode
  }

  mutating func create(_ name: FileName, _ text: String) throws -> InodeID {
    let made = try call(.create(in: .root, name, Ownership(mode: 0o600)))
    let file = try #require(made)
    try call(.write(file, offset: 0, Array(text.utf8)))
    try call(.release(file))
    return file
  }

  /// As an atomic write does it, with or without the syncs.
  mutating func replace(_ name: FileName, _ text: String, syncs: Bool = true) throws {
    let file = try create("temporary", text)
    if syncs { try call(.sync(file, dataOnly: false)) }
    try call(.rename(from: .root, "temporary", to: .root, name, .replacing))
    if syncs { try call(.syncDirectory(.root)) }
  }

  mutating func reach(_ points: String...) throws {
    for point in points { try call(.point(point)) }
  }

  func report(since: Int = 0) -> LintReport {
    Linter.report(on: device, inventory, since: since)
  }

  func windows(of rule: LintRule, since: Int = 0) -> [LintWindow] {
    report(since: since).windows.filter { $0.rule == rule }
  }
}

@Suite struct `Lint, at an acknowledgement` {
  private let rule = LintRule.unsyncedAtAcknowledgement

  @Test func `tells a file that a power cut could still take`() throws {
    var phone = LintedDevice(.posixWeak)
    _ = try phone.create("file", "text")
    try phone.reach("S1")
    let window = try #require(phone.windows(of: rule).first)
    #expect(window.place == "rest")
    #expect(window.detail == "file (name, content, length)")
    #expect(window.leaves == "what was acknowledged may be gone from rest")
    #expect(window.command == "lab inject power-cut@S1 --survivors other=all,rest=none")
    #expect(window.first == 1 && window.isOpen)
    #expect(phone.windows(of: rule).count == 1)
  }

  @Test func `tells nothing of a file that was synced before, with its name`() throws {
    var phone = LintedDevice(.posixWeak)
    try phone.replace("file", "text")
    try phone.reach("S1")
    #expect(phone.windows(of: rule).isEmpty)
    #expect(phone.report().saveCount == 1)
  }

  @Test func `tells nothing where everything is durable at once`() throws {
    var phone = LintedDevice(.strict)
    _ = try phone.create("file", "text")
    try phone.reach("S1")
    #expect(phone.report().windows.isEmpty)
  }

  @Test func `tells how long it stayed so, and what ended it`() throws {
    var phone = LintedDevice(.ordered)
    let file = try phone.create("file", "text")
    try phone.reach("S1")
    try phone.call(.sync(file, dataOnly: false))
    var window = try #require(phone.windows(of: rule).first)
    #expect(window.first == 1 && window.last == 4 && window.milliseconds == 3)
    try phone.call(.write(file, offset: 0, [1]))
    try phone.reach("S1")
    phone.device.settle()
    try phone.reach("S0")
    window = try #require(phone.windows(of: rule, since: 4).first)
    #expect(window.last == 6 && window.milliseconds == nil)
    #expect(window.detail == "file (content); written back later")
    try phone.call(.write(file, offset: 0, [2]))
    try phone.reach("S1")
    phone.device = phone.device.crashState(.none)
    window = try #require(phone.windows(of: rule, since: 7).first)
    #expect(window.detail == "file (content); then a power cut or a reset")
  }

  @Test func `tells a sync without a barrier from none`() throws {
    var phone = LintedDevice(.apfs)
    try phone.replace("file", "text")
    try phone.reach("S1")
    let window = try #require(phone.windows(of: rule).first)
    #expect(window.detail == "file (synced without a barrier)")
  }

  @Test func `names the parts that may have kept their change`() throws {
    var phone = LintedDevice(.posixWeak)
    try phone.call(.makeDirectory(in: .root, "other", Ownership(mode: 0o700)))
    _ = try phone.create("file", "text")
    try phone.reach("S1")
    let windows = phone.windows(of: rule)
    #expect(windows.map(\.place) == ["other", "rest"])
    #expect(
      windows[0].leaves == "what was acknowledged may be gone from other, and still be in rest")
    #expect(windows[0].command == "lab inject power-cut@S1 --survivors other=none,rest=all")
  }

  @Test func `tells of each save only what belongs to it, and folds equal ones`() throws {
    var phone = LintedDevice(.posixWeak)
    let file = try phone.create("file", "text")
    try phone.reach("S1", "S1")
    #expect(phone.windows(of: rule).map(\.count) == [1])
    try phone.call(.write(file, offset: 0, [1]))
    try phone.reach("S1")
    #expect(phone.windows(of: rule).map(\.count) == [2])
    // Written before the save begins, by something else.
    try phone.call(.write(file, offset: 0, [2]))
    try phone.reach("S0", "S1")
    #expect(phone.windows(of: rule).map(\.count) == [2])
  }

  @Test func `tells nothing of a file that is gone by then, nor of what is built anew`() throws {
    var phone = LintedDevice(.posixWeak)
    _ = try phone.create("temporary", "text")
    try phone.call(.unlink(in: .root, "temporary"))
    _ = try phone.create("data.db-shm", "text")
    try phone.reach("S1")
    #expect(phone.windows(of: rule).isEmpty)
    _ = try phone.create("data.db-wal", "text")
    try phone.reach("S1")
    #expect(phone.windows(of: rule).count == 1)
  }

  @Test func `tells that a removal is not durable, unless its directory was synced`() throws {
    var phone = LintedDevice(.ordered)
    try phone.replace("backup", "text")
    try phone.call(.unlink(in: .root, "backup"))
    try phone.reach("S1")
    #expect(phone.windows(of: rule).map(\.detail) == ["backup (removal)"])
    try phone.replace("backup", "text")
    try phone.call(.unlink(in: .root, "backup"))
    try phone.call(.syncDirectory(.root))
    try phone.reach("S1")
    #expect(phone.windows(of: rule).map(\.count) == [1])
  }

  @Test func `does not count a save that a fault refused to acknowledge`() throws {
    var phone = LintedDevice(.posixWeak)
    _ = try phone.create("file", "text")
    _ = phone.device.arm(
      ArmedFault(name: "kill", trigger: .point("S1", occurrence: 1), effect: .killBefore))
    #expect(throws: DeviceError.inputOutput) { try phone.reach("S1") }
    #expect(phone.report().saveCount == 0)
    #expect(phone.windows(of: rule).isEmpty)
  }
}

@Suite struct `Lint, of names` {
  private let rule = LintRule.directoryNotSynced

  @Test func `tells a rename whose directory was never synced`() throws {
    var phone = LintedDevice(.posixWeak)
    try phone.replace("file", "text", syncs: false)
    let windows = phone.windows(of: rule)
    #expect(windows.map(\.place) == ["rename /file"])
    #expect(windows.first?.first == 3 && windows.first?.isOpen == true)
    #expect(
      windows.first?.leaves == "file as it was before, or missing, and temporary in its place")
    #expect(windows.first?.command == "lab inject power-cut@rename:file --survivors none")
  }

  @Test func `tells nothing when it was synced, or when names keep their order`() throws {
    var phone = LintedDevice(.posixWeak)
    try phone.replace("file", "text")
    #expect(phone.windows(of: rule).isEmpty)
    var other = LintedDevice(.ordered)
    try other.replace("file", "text", syncs: false)
    #expect(other.windows(of: rule).isEmpty)
  }

  @Test func `tells a name that may come back, and none that only came and went`() throws {
    var phone = LintedDevice(.posixWeak)
    try phone.replace("file", "text")
    _ = try phone.create("temporary", "text")
    try phone.call(.unlink(in: .root, "temporary"))
    #expect(phone.windows(of: rule).isEmpty)
    try phone.call(.unlink(in: .root, "file"))
    #expect(phone.windows(of: rule).map(\.place) == ["unlink /file"])
    #expect(phone.windows(of: rule).map(\.leaves) == ["file there again"])
  }

  @Test func `tells the old name of a file that was moved and then removed`() throws {
    var phone = LintedDevice(.posixWeak)
    try phone.replace("file", "text")
    try phone.call(.rename(from: .root, "file", to: .root, "moved", .replacing))
    try phone.call(.unlink(in: .root, "moved"))
    #expect(phone.windows(of: rule).map(\.leaves) == ["file there again"])
  }

  @Test func `tells until when, if the kernel wrote it back by itself`() throws {
    var phone = LintedDevice(.posixWeak)
    _ = try phone.create("my file", "text")
    phone.device.settle()
    let window = try #require(phone.windows(of: rule).first)
    #expect(window.first == 1 && window.last == 2)
    #expect(window.detail == "its directory was never synced; written back later")
    #expect(window.command == "lab inject 'power-cut@create:my file' --survivors none")
  }

  @Test func `counts what happens again and again as one window`() throws {
    var phone = LintedDevice(.posixWeak)
    for number in 0..<5 { try phone.replace("file", "text \(number)", syncs: false) }
    #expect(phone.windows(of: rule).map(\.count) == [5])
    #expect(phone.windows(of: rule, since: 7).map(\.count) == [3])
  }
}

@Suite struct `What a store does by itself` {
  private func plan(_ store: String, writers: Int) -> ExplorationPlan {
    var plan = ExplorationPlan(phone: .ios, store: store, seed: 1)
    plan.writerCount = writers
    return plan
  }

  @Test func `is linted in every order of its saves`() throws {
    let one = try OrderLint(plan("recipe", writers: 1)) { false }
    #expect(one.orderCount == 1 && one.isExhaustive)
    #expect(one.report.count(of: .halvesApart) > 0)
    let two = try OrderLint(plan("recipe", writers: 2)) { false }
    #expect(two.orderCount > 50 && two.isExhaustive)
    // Each order has the window of at least one save.
    #expect(two.report.count(of: .halvesApart) >= two.orderCount)
  }

  @Test func `has fewer windows when saves take their turn and touch one half`() throws {
    let durable = try OrderLint(plan("durable", writers: 2)) { false }
    let recipe = try OrderLint(plan("recipe", writers: 2)) { false }
    #expect(durable.orderCount < recipe.orderCount)
    #expect(durable.report.count(of: .halvesApart) <= durable.orderCount)
  }

  @Test func `is linted as far as there is time`() throws {
    var askedCount = 0
    let found = try OrderLint(plan("recipe", writers: 2)) {
      askedCount += 1
      return askedCount > 3
    }
    #expect(found.orderCount == 3 && !found.isExhaustive)
  }
}
