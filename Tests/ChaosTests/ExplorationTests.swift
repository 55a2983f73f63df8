import Chaos
import Foundation
import JSON
import Phone
import Reports
import Terminal
import Testing

/// The phones of what takes long: both with `LAB_EXPLORE_ALL=1`.
private let thorough: [PhoneKind] =
  ProcessInfo.processInfo.environment["LAB_EXPLORE_ALL"] == nil ? [.ios] : PhoneKind.allCases

@Suite struct `An exploration` {
  /// Few choices at each moment, so that it is quick.
  private func plan(_ store: String, on phone: PhoneKind = .ios) -> ExplorationPlan {
    var plan = ExplorationPlan(phone: phone, store: store, seed: 7)
    plan.cutCountMax = 4
    plan.dangers = [.crashes]
    return plan
  }

  private func verdicts(
    of replay: Exploration.Replay, _ plan: ExplorationPlan
  ) throws -> [Verdict] {
    let scenario = try ScenarioReader.read(Array(replay.text.utf8), name: replay.name)
    let phone = try SimulatedPhone(PhoneSetup())
    // The file fixes the seed, so that of the runner does not matter.
    let run = try ScenarioRunner(on: phone, seed: 99).run(
      scenario, on: plan.phone, store: plan.store)
    #expect(run.faults.neverFired.isEmpty, "\(replay.text)")
    return try #require(run.cases.first).verdicts
  }

  @Test(arguments: PhoneKind.allCases)
  func `finds what the published store loses, in files that show it again`(
    phone: PhoneKind
  ) throws {
    var plan = plan("recipe", on: phone)
    if phone == .ios { plan.dangers.insert(.errors) }
    let found = try Explorer(plan).run()
    #expect(found.causes.contains { $0.failure == .falseSignOut && $0.kind == .kill })
    #expect(found.causes.contains { $0.failure == .falseSignOut && $0.kind == .powerCut })
    #expect(found.causes.contains { $0.kind == .callError } == (phone == .ios))
    for cause in found.causes {
      let shown = try verdicts(of: cause.replay, plan)
      #expect(shown == cause.replay.verdicts, "\(cause.replay.text)")
      #expect(cause.replay.isConfirmed)
    }
    #expect(ExploreReport(found).exitCode == .finding)
  }

  @Test(arguments: [(0, "nothing was looked at"), (8, "what was found so far")])
  func `that was interrupted claims nothing of what it did not look at`(
    momentCount: Int, words: String
  ) throws {
    let explorer = try Explorer(plan("durable"))
    var askedCount = 0
    explorer.shouldStop = {
      askedCount += 1
      return askedCount > momentCount
    }
    let found = try explorer.run()
    let console = Console(output: NoSink(), errors: NoSink())
    let lines = ExploreReport(found).lines(replaysIn: "x", for: console)
    #expect(lines.contains { $0.contains("INTERRUPTED: \(words)") }, "\(lines)")
    #expect(!lines.contains("  violations: none"))
    #expect(lines.contains("  violations: none so far") == (found.originCount > 0))
    #expect(!lines.contains { $0.allSatisfy { $0 == " " } }, "\(lines)")
  }

  @Test(arguments: ["durable", "keychain-only"], PhoneKind.allCases)
  func `finds nothing in a store that loses nothing, in states that are as many`(
    store: String, phone: PhoneKind
  ) throws {
    let found = try Explorer(plan(store, on: phone)).run()
    #expect(found.causes.isEmpty, "\(found.causes)")
    #expect(found.images.count > 10)
    #expect(found.moments.count(where: { $0.killed != nil }) > 10)
    #expect(ExploreReport(found).exitCode == .asExpected)
  }

  @Test(arguments: thorough)
  func `finds the orders in which two saves leave the halves apart`(phone: PhoneKind) throws {
    var plan = plan("recipe", on: phone)
    (plan.writerCount, plan.readerCount) = (2, 1)
    (plan.orderCountMax, plan.cutCountMax) = (12, 1)
    let found = try Explorer(plan).run()
    let order = try #require(found.causes.first { $0.kind == .none })
    #expect(order.failure == .falseSignOut && order.replay.isConfirmed)
    #expect(try verdicts(of: order.replay, plan) == order.replay.verdicts)
    #expect(!found.isExhaustive && found.cutOrderCount > 0)
  }

  @Test(arguments: thorough)
  func `finds no error of any call that loses what a store could keep`(phone: PhoneKind) throws {
    var plan = plan("durable", on: phone)
    plan.dangers = [.errors]
    let found = try Explorer(plan).run()
    #expect(found.causes.isEmpty, "\(found.causes)")
    #expect(found.errorCount > 150)
    // AsyncStorage deletes a database, SecureStore an entry: that is not the store's doing.
    #expect((found.moduleLossCount > 0) == (phone == .android))
  }

  @Test(arguments: PhoneKind.allCases)
  func `finds nothing in any order of calls that take their turn`(phone: PhoneKind) throws {
    var plan = plan("durable", on: phone)
    (plan.writerCount, plan.readerCount) = (2, 1)
    let found = try Explorer(plan).run()
    #expect(found.causes.isEmpty, "\(found.causes)")
    // One for each history: whoever comes first goes on until it is done.
    #expect(found.orderCount == 2 && found.cutOrderCount == 0)
  }

  @Test func `finds a flipped bit that a store without a tag accepts`() throws {
    var plan = plan("recipe")
    (plan.dangers, plan.cutCountMax) = ([.flips], 200)
    let found = try Explorer(plan).run()
    #expect(found.causes.contains { $0.failure == .garbageAccepted && $0.replay.isConfirmed })
    plan.store = "durable"
    #expect(try Explorer(plan).run().causes.isEmpty)
  }

  @Test func `recovers no image twice, and comes to the same outcomes as one that does`() throws {
    let plan = plan("recipe")
    let explorer = try Explorer(plan)
    explorer.collapses = []
    let all = try explorer.run()
    let collapsed = try Explorer(plan).run()
    #expect(all.recoveredCount == all.originCount && all.endingCount == all.originCount)
    #expect(all.originCount == collapsed.originCount)
    #expect(collapsed.images.count < all.images.count)
    expectSameOutcomes(all, collapsed)
  }

  @Test(arguments: ["recipe"], thorough)
  func `comes to the same outcomes where each image is recovered, read or not`(
    store: String, phone: PhoneKind
  ) throws {
    var plan = plan(store, on: phone)
    plan.cutCountMax = 2
    let (found, other) = try explored(plan, without: .reads)
    #expect(other.recoveredCount == other.images.count)
    #expect(found.recoveredCount < other.recoveredCount)
  }

  /// What the recoveries stand on that are known by what the app read and the service answered.
  @Test(arguments: ["recipe", "healing", "keychain-only", "durable"], PhoneKind.allCases)
  func `comes to the same outcomes where no image is known by the answers of the service`(
    store: String, phone: PhoneKind
  ) throws {
    var plan = plan(store, on: phone)
    plan.cutCountMax = 16
    let (found, other) = try explored(plan, without: .answers)
    #expect(found.images == other.images && found.causes == other.causes)
    #expect(found.map == other.map && found.originCount == other.originCount)
    #expect(found.recoveredCount < other.recoveredCount)
  }

  @Test func `says how large it is before it begins`() throws {
    var plan = ExplorationPlan(phone: .android, store: "durable", seed: 1)
    plan.dangers = [.crashes]
    plan.cutCountMax = 1_000_000
    let explorer = try Explorer(plan)
    var sizes: [Int] = []
    explorer.announce = { states, moments in sizes += [states, moments] }
    explorer.shouldStop = { !sizes.isEmpty }
    let found = try explorer.run()
    #expect(sizes.count == 2 && sizes[0] > 1_000_000 && sizes[1] > 100)
    #expect(found.originCount == 0 && found.wasInterrupted)
  }

  @Test(arguments: PhoneKind.allCases)
  func `recovers no image for a flipped bit that nobody reads`(phone: PhoneKind) throws {
    var plan = plan("recipe", on: phone)
    (plan.dangers, plan.cutCountMax) = ([.flips], 24)
    let (found, other) = try explored(plan, without: .reads)
    #expect(found.recoveredCount < other.recoveredCount)
    #expect(found.images == other.images)
  }

  @Test(arguments: thorough)
  func `comes to the same outcomes without its other collapses, and each saves something`(
    phone: PhoneKind
  ) throws {
    var plan = plan("recipe", on: phone)
    plan.cutCountMax = 2
    let (found, allImages) = try explored(plan, without: .images)
    #expect(allImages.images.count > found.images.count)
    let (same, allEndings) = try explored(plan, without: .endings)
    #expect(allEndings.endingCount > same.endingCount)
  }

  /// What the second cold starts that are not played stand on.
  @Test(arguments: ["recipe", "healing", "keychain-only", "durable"], PhoneKind.allCases)
  func `comes to the same outcomes where each second cold start is played`(
    store: String, phone: PhoneKind
  ) throws {
    var plan = plan(store, on: phone)
    plan.cutCountMax = 2
    let (found, other) = try explored(plan, without: .repeats)
    #expect(found.images == other.images && found.causes == other.causes)
    #expect(found.recoveredCount == other.recoveredCount)
    #expect(found.endingCount == other.endingCount)
  }

  private func explored(
    _ plan: ExplorationPlan, without collapse: Collapses
  ) throws -> (found: Exploration, other: Exploration) {
    let found = try Explorer(plan).run()
    let explorer = try Explorer(plan)
    explorer.collapses.remove(collapse)
    let other = try explorer.run()
    expectSameOutcomes(found, other)
    return (found, other)
  }

  /// Each moment has seen the same, however many images that were.
  private func expectSameOutcomes(_ one: Exploration, _ other: Exploration) {
    #expect(one.moments.count == other.moments.count)
    for (moment, same) in zip(one.moments, other.moments) {
      #expect(outcomes(of: moment, one) == outcomes(of: same, other), "\(moment.title)")
    }
  }

  private func outcomes(
    of moment: Exploration.Moment, _ found: Exploration
  ) -> Set<[Verdict]> {
    Set(
      ([moment.killed].compactMap { $0 } + moment.cut).map { index in
        found.images[index].judgements.map(\.verdict)
      })
  }

  @Test func `is equal for an equal seed, and says that its states were drawn`() throws {
    let plan = plan("recipe")
    let (one, other) = (try Explorer(plan).run(), try Explorer(plan).run())
    let text = JSONWriter.text(of: ExploreReport(one).json)
    #expect(text == JSONWriter.text(of: ExploreReport(other).json))
    #expect(ExploreReport(one).json["exhaustive"]?.bool == false)
    #expect(ExploreReport(one).json["bound"]?.integer == 4)
  }

  @Test func `of an ideal device is exhaustive`() throws {
    var plan = plan("keychain-only")
    plan.settings[ScenarioSettings.profile] = "strict"
    let found = try Explorer(plan).run()
    #expect(found.isExhaustive)
    #expect(ExploreReport(found).json["bound"] == nil)
  }

  @Test func `of depth 2 has the recovery crash, too`() throws {
    var plan = plan("keychain-only")
    plan.settings[ScenarioSettings.profile] = "strict"
    let shallow = try Explorer(plan).run()
    plan.depth = 2
    let deep = try Explorer(plan).run()
    #expect(deep.originCount > shallow.originCount)
    #expect(deep.moments == shallow.moments)
    #expect(deep.causes.isEmpty)
  }

  @Test func `that is stopped keeps what it has`() throws {
    let explorer = try Explorer(plan("recipe"))
    var count = 0
    explorer.shouldStop = {
      count += 1
      return count > 30
    }
    let found = try explorer.run()
    #expect(found.wasInterrupted)
    #expect(!found.isExhaustive)
    #expect((1..<40).contains(found.moments.count))
    #expect(ExploreReport(found).exitCode == .interrupted)
  }
}
