import Chaos
import JSON
import Phone
import Ports
import Testing

@Suite struct `Shrinking` {
  private let phone: SimulatedPhone

  init() throws { phone = try SimulatedPhone(PhoneSetup()) }

  /// What a history shows, as a replay.
  private func record(
    _ decisions: String, store: String = "recipe", on kind: PhoneKind = .ios,
    settings: String = "{}"
  ) throws -> Replay {
    let text = """
      { "schema": "lab.replay/1", "foundBy": "a test", "failure": null, "because": "",
        "phone": "\(kind.rawValue)", "store": "\(store)", "seed": 4, "settings": \(settings),
        "decisions": [\(decisions)], "verdicts": [], "images": [] }
      """
    let read = try ReplayReader.read(Array(text.utf8), name: "test")
    return try ReplayPlayer(on: phone).record(read.history, named: "test", foundBy: "a test")
  }

  private func words(_ replay: Replay) -> [String] {
    replay.history.steps.map { step in
      step.words + (step.fault.map { ", \($0.kind.rawValue)@\($0.trigger?.text ?? "")" } ?? "")
    }
  }

  /// Steps and settings that the loss between key and blob does not need.
  private static let padded = """
    { "do": "sign-in" }, { "do": "store-secret", "name": "pin" }, { "do": "lock" },
    { "do": "unlock" }, { "do": "clock", "by": "+55min" }, { "do": "refresh", "to": 2 },
    { "do": "read" }, { "do": "clock", "by": "+2h" }, { "do": "refresh", "to": 3 },
    { "do": "snapshot", "name": "nightly" }, { "do": "clock", "by": "+55min" },
    { "do": "refresh", "to": 4, "fault": "kill@op:3" }, { "do": "launch", "times": 3 }
    """

  @Test(arguments: PhoneKind.allCases)
  func `leaves the steps and the fault that a loss needs`(kind: PhoneKind) throws {
    let found = try record(
      kind == .ios ? Self.padded : Self.padded.replacing("kill@op:3", with: "kill@K1"), on: kind,
      settings: "{ \"sizeRule\": \"off\" }")
    #expect(found.failure == .falseSignOut)
    let shrunk = try #require(try Shrinker(on: phone).shrink(found))
    #expect(shrunk.isComplete)
    #expect(shrunk.after.failure == .falseSignOut)
    #expect(shrunk.after.history.settings == ScenarioSettings())
    let steps = words(shrunk.after)
    #expect(steps.first == "sign-in" && steps.last == "launch")
    #expect(steps.count == 3 && steps[1].hasPrefix("refresh to 2, kill@"), "\(steps)")
    #expect(shrunk.before.choices.count == 14 && shrunk.after.choices.count == 4)
    #expect("\(shrunk)".hasPrefix("shrunk: 14 -> 4 decisions ("))
  }

  @Test func `gives the same replay twice, and from what it gave`() throws {
    let found = try record(Self.padded)
    let one = try #require(try Shrinker(on: phone).shrink(found))
    let other = try #require(try Shrinker(on: SimulatedPhone(PhoneSetup())).shrink(found))
    #expect(one.after.history == other.after.history && one.tryCount == other.tryCount)
    #expect(one.after.verdicts == other.after.verdicts && one.after.sites == other.after.sites)
    let again = try Shrinker(on: phone).shrink(one.after)
    #expect(again?.after.history == one.after.history)
  }

  @Test func `of a run without a failure gives nothing`() throws {
    let good = try record(Self.padded, store: "durable")
    #expect(good.failure == nil)
    #expect(try Shrinker(on: phone).shrink(good) == nil)
  }

  @Test func `of a file that says another failure than it shows gives nothing`() throws {
    var found = try record(Self.padded)
    found.failure = .secretLeft
    #expect(try Shrinker(on: phone).shrink(found) == nil)
  }

  @Test func `ends after as many tries as it may make, with what it has`() throws {
    let found = try record(Self.padded)
    var shrinker = Shrinker(on: phone)
    shrinker.triesMax = 4
    let shrunk = try #require(try shrinker.shrink(found))
    #expect(!shrunk.isComplete && shrunk.tryCount == 4)
    #expect(shrunk.after.failure == .falseSignOut)
    #expect((5..<14).contains(shrunk.after.choices.count))
    #expect(try ReplayPlayer(on: phone).replay(shrunk.after).sameVerdicts)
  }

  @Test func `keeps the fault behind its point`() throws {
    for (moment, point) in [("op:3", "K0"), ("op:6", "B0")] {
      let found = try record(Self.padded.replacing("op:3", with: moment))
      let shrunk = try #require(try Shrinker(on: phone).shrink(found))
      let site = shrunk.after.sites.values.compactMap(\.operation).first
      #expect(site?.behind?.rawValue == point, "\(words(shrunk.after))")
    }
  }

  /// A save that nobody made would make the one before it older than the server forgives: a failure
  /// of another kind.
  @Test func `closes the gap that a save leaves`() throws {
    let late = """
      { "do": "sign-in" }, { "do": "refresh", "to": 2 }, { "do": "refresh", "to": 3 },
      { "do": "refresh", "to": 4, "fault": "kill-before@K1" }, { "do": "launch" }
      """
    // Killed before the key is stored, the session of the save before it is still there.
    let good = try record(late.replacing("kill-before@K1", with: "kill@S0"))
    #expect(good.failure == nil, "\(good.verdicts)")
    let found = try record(late)
    let shrunk = try #require(try Shrinker(on: phone).shrink(found))
    #expect(words(shrunk.after)[1].hasPrefix("refresh to 2"), "\(words(shrunk.after))")
  }

  @Test(arguments: [
    ("power-cut@K1", "key=all,rest=none", "all"), ("power-cut@B1", "key=none,blob=all", nil),
  ])
  func `of a power cut comes to none or all, unless it takes both`(
    fault: String, survivors: String, simpler: String?
  ) throws {
    let found = try record(
      """
      { "do": "sign-in" }, { "do": "clock", "by": "+1d" },
      { "do": "refresh", "to": 2, "fault": "\(fault)", "survivors": "\(survivors)" },
      { "do": "launch" }
      """)
    #expect(found.failure == .falseSignOut, "\(found.verdicts)")
    let shrunk = try #require(try Shrinker(on: phone).shrink(found))
    let values = try #require(shrunk.after.history.steps.compactMap(\.fault).first?.values)
    #expect(["none", "all"].contains(values.survivors.text) == (simpler != nil))
    if let simpler { #expect(values.survivors.text == simpler) }
  }

  @Test func `drops calls and turns that an overlap does not need`() throws {
    let found = try record(
      """
      { "do": "sign-in" }, { "do": "clock", "by": "+55min" },
      { "do": "overlap", "to": 2, "writers": 2, "order": "00000010" }, { "do": "launch" }
      """)
    #expect(found.failure == .falseSignOut)
    let shrunk = try #require(try Shrinker(on: phone).shrink(found))
    #expect(shrunk.after.choices.count == 4, "\(words(shrunk.after))")
    #expect(!words(shrunk.after).contains("clock by +55min"))
  }

  /// Whatever was found keeps its failure word, and grows nowhere.
  @Test func `of every old replay keeps what it is about`() throws {
    for replay in try OldReplays.all() {
      let shrunk = try #require(try Shrinker(on: phone).shrink(replay), "\(replay.name)")
      #expect(shrunk.after.failure == replay.failure, "\(replay.name)")
      #expect(shrunk.after.choices.count <= replay.choices.count, "\(replay.name)")
      #expect(shrunk.after.choices.count <= 10, "\(replay.name)")
    }
  }
}
