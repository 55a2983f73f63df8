import Device
import Session

/// A way to make a history smaller.
enum Reduction: CaseIterable {
  case operations, faults, sizes

  /// Smaller histories, those that take away most first; each is smaller by itself, so that taking
  /// them again and again comes to an end.
  func proposals(for history: Replay.History) -> [Replay.History] {
    switch self {
    case .operations:
      history.beginnings + history.steps.indices.reversed().compactMap(history.without)
    case .faults: history.withSteps { $0.quieter }
    case .sizes: history.settings.resets.map(history.with) + history.withSteps { $0.smaller }
    }
  }
}

extension Replay.History {
  /// The history from each later sign-in on.
  fileprivate var beginnings: [Replay.History] {
    steps.indices.dropFirst().reversed().filter { steps[$0].signsIn }.map { index in
      var rest = self
      rest.steps = Array(steps[index...])
      return rest
    }
  }

  /// The history without one step; the generations of later saves close up, or the server would have
  /// seen saves that nobody made. A sign-in stays: what comes after it is about its session.
  fileprivate func without(_ index: Int) -> Replay.History? {
    guard !steps[index].signsIn else { return nil }
    var rest = self
    rest.steps.remove(at: index)
    guard let removed = steps[index].action.generation else { return rest }
    let gap = removed - (steps[..<index].compactMap(\.action.generation).last ?? 1)
    for later in index..<rest.steps.count {
      if rest.steps[later].signsIn { break }
      rest.steps[later] = rest.steps[later].with(rest.steps[later].action.earlier(by: gap))
    }
    return rest
  }

  fileprivate func with(_ settings: ScenarioSettings) -> Replay.History {
    var changed = self
    changed.settings = settings
    return changed
  }

  /// One history for each way to change one step.
  fileprivate func withSteps(
    _ changes: (Scenario.Step) -> [Scenario.Step]
  ) -> [Replay.History] {
    steps.indices.flatMap { index in
      changes(steps[index]).map { step in
        var changed = self
        changed.steps[index] = step
        return changed
      }
    }
  }
}

extension Scenario.Action {
  /// What is stored; `nil` when nothing is.
  fileprivate var generation: Int? {
    switch self {
    case .signIn: 1
    case .refresh(let generation): generation
    case .overlap(let overlap): overlap.generation
    default: nil
    }
  }

  fileprivate func earlier(by gap: Int) -> Scenario.Action {
    switch self {
    case .refresh(let generation): return .refresh(to: generation.map { $0 - gap })
    case .overlap(var overlap):
      overlap.generation -= gap
      return .overlap(overlap)
    default: return self
    }
  }
}

extension Scenario.Step {
  fileprivate func with(_ action: Scenario.Action) -> Scenario.Step {
    Scenario.Step(action, fault: fault, line: line)
  }

  private func with(_ fault: FaultRequest?) -> Scenario.Step {
    Scenario.Step(action, fault: fault, line: line)
  }

  /// The step without its fault, and with fewer choices in it.
  fileprivate var quieter: [Scenario.Step] {
    if case .happen(let request) = action {
      return request.values.survivors.simpler.map { with(.happen(request.with($0))) }
    }
    guard let fault else { return [] }
    return [with(nil)] + fault.values.survivors.simpler.map { with(fault.with($0)) }
  }

  /// The step with smaller numbers in it.
  fileprivate var smaller: [Scenario.Step] {
    switch action {
    case .launch(let times, let way) where times > 1 && fault == nil:
      return [with(.launch(times: 1, way))]
    case .read(let times, let everyMs) where times > 1 && fault == nil:
      return [1, times / 2].map { with(.read(times: $0, everyMs: everyMs)) }
    case .clock(let step):
      return Self.spansMs.filter { $0 < step }.map { with(.clock(byMs: $0)) }
    case .overlap(let overlap): return overlap.smaller.map { with(.overlap($0)) }
    default:
      guard let fault, case .operation(let count)? = fault.trigger else { return [] }
      return (1..<count).map { with(fault.at(.operation(count: $0))) }
    }
  }

  /// A moment, and long enough for the system to have written everything back.
  private static let spansMs: [Int64] = [1_000, 30_000, 60_000, 1_800_000]
}

extension Overlap {
  /// Fewer calls, or one place more at which the one goes on that has waited longest.
  fileprivate var smaller: [Overlap] {
    var smaller: [Overlap] = []
    func add(_ change: (inout Overlap) -> Void) {
      var changed = self
      change(&changed)
      if changed != self { smaller.append(changed) }
    }
    add { $0.writerCount = max(1, writerCount - 1) }
    add { $0.readerCount = max(0, readerCount - 1) }
    for place in order.indices.reversed() {
      add { $0.order = Array(order[..<place]) }
      add { $0.order[place] = 0 }
    }
    return smaller
  }
}

extension Survivors {
  /// Choices that say less: nothing or everything, or fewer changes.
  fileprivate var simpler: [Survivors] {
    switch self {
    case .none: []
    case .all: [.none]
    case .issued, .seeded, .perDomain: [.none, .all]
    case .kept(let indices):
      [.none, .all]
        + [2, 4, 8].flatMap { Self.parts(of: indices.sorted(), count: $0) }
        .map { .kept(indices.subtracting($0)) }
    case .partial(_, let rest): [.none, .all, rest]
    case .torn(let operation, let count, let rest):
      rest.simpler.map { .torn(operation, sectorCount: count, rest: $0) }
    }
  }

  /// Equal parts of a list, none when it has fewer members.
  private static func parts(of members: [Int], count: Int) -> [[Int]] {
    guard members.count >= count else { return [] }
    return (0..<count).map { part in
      Array(members[members.count * part / count..<members.count * (part + 1) / count])
    }
  }
}
