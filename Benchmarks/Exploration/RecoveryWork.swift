import Chaos
import Linux
import Phone

/// Whole explorations of one store.
enum RecoveryWork {
  struct Explored {
    let ns: Double
    let originCount: Int
    let imageCount: Int
  }

  /// Explores the published store on iOS, with so many crashes in a row and so many writers at
  /// once.
  ///
  /// - Throws: ``BenchmarkError/interrupted`` in the middle of it, or what the exploration threw.
  static func explore(
    depth: Int, writerCount: Int, cutCountMax: Int, _ watch: Watch
  ) throws -> Explored {
    var plan = ExplorationPlan(phone: .ios, store: "recipe", seed: ExplorationSuite.seed)
    plan.depth = depth
    plan.writerCount = writerCount
    plan.cutCountMax = cutCountMax
    return try explore(plan, watch)
  }

  /// Explores the crashes of a store's saves alone: each state is made, started on and judged, or is
  /// one that was.
  static func exploreCrashes(
    of store: String, on phone: PhoneKind, cutCountMax: Int, _ watch: Watch
  ) throws -> Explored {
    var plan = ExplorationPlan(phone: phone, store: store, seed: ExplorationSuite.seed)
    plan.dangers = [.crashes]
    plan.cutCountMax = cutCountMax
    return try explore(plan, watch)
  }

  private static func explore(_ plan: ExplorationPlan, _ watch: Watch) throws -> Explored {
    let start = Clocks.threadNs
    let explorer = try Explorer(plan)
    explorer.shouldStop = { watch.isOver }
    let found = try explorer.run()
    try watch.check()
    return Explored(
      ns: Double(Clocks.threadNs - start), originCount: found.originCount,
      imageCount: found.images.count)
  }
}
