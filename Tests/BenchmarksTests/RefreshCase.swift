import Device

@testable import Benchmarks

/// One trace that both the model and the real client play.
struct RefreshCase {
  var kind: RefreshKind
  var trace: DeviceTrace
  /// What the model takes the client for, to see that this is found out.
  var mistake: RefreshKind?

  /// A busy day of a few hours on a bad network, with short-lived tokens.
  init(seed: UInt64, _ kind: RefreshKind) {
    self.kind = kind
    var draws = Draws(seed: seed)
    self.kind.isForgiving = draws.below(3) > 0
    var habits = FleetHabits()
    habits.unlockedMeanMs = [60_000, 300_000][draws.below(2)]
    habits.lockedMeanMs = [60_000, 600_000][draws.below(2)]
    habits.visitOneIn = 1 + draws.below(3)
    habits.visitMeanMs = [20_000, 120_000, 400_000][draws.below(3)]
    habits.onlineMeanMs = [400_000, 4_000_000][draws.below(2)]
    habits.offlineMeanMs = [20_000, 400_000][draws.below(2)]
    habits.killOneIn = [2, 100][draws.below(2)]
    habits.oneFateIn = [0, 12, 60][draws.below(3)]
    habits.tokenMs = [300_000, 600_000, 3_600_000][draws.below(3)]
    habits.graceMs = [0, 5_000, 30_000, 600_000, .max][draws.below(5)]
    habits.wakingMs = [2, 4][draws.below(2)] * 3_600_000
    trace = habits.trace(seed: seed, dayCount: 1)
  }

  func modelled() -> RefreshRecord {
    var model = RefreshModel(mistake ?? kind, trace, RefreshRecord())
    model.run()
    return model.witness.cut(at: trace.endMs)
  }

  func played() throws -> RefreshRecord {
    try RefreshRig(kind, trace).play().cut(at: trace.endMs)
  }

  /// Where the two part; `nil` when they are the same.
  func difference() throws -> String? {
    let (model, real) = (modelled(), try played())
    guard model != real else { return nil }
    return [
      first("token call", model.tokenCallsMs, real.tokenCallsMs),
      first("attempt", model.attemptsMs, real.attemptsMs),
      first("call", model.calls, real.calls),
      first("sign-out", [model.signedOutMs], [real.signedOutMs]),
    ].compactMap(\.self).joined(separator: "; ")
  }

  private func first<Item: Equatable>(
    _ name: String, _ model: [Item], _ real: [Item]
  ) -> String? {
    let index = (0..<max(model.count, real.count)).first {
      !($0 < model.count && $0 < real.count && model[$0] == real[$0])
    }
    guard let index else { return nil }
    func text(_ items: [Item]) -> String { index < items.count ? "\(items[index])" : "none" }
    return "\(name) \(index): model \(text(model)), client \(text(real))"
  }

  /// The smallest trace in reach on which the two part.
  func shrunk() throws -> RefreshCase {
    var least = self
    var goesOn = true
    while goesOn {
      goesOn = false
      for smaller in least.smaller where try smaller.difference() != nil {
        least = smaller
        goesOn = true
        break
      }
    }
    return least
  }

  private var smaller: [RefreshCase] {
    var cases: [RefreshCase] = []
    func add(_ change: (inout DeviceTrace) -> Void) {
      var smaller = self
      change(&smaller.trace)
      if smaller.trace != trace { cases.append(smaller) }
    }
    let count = trace.visits.count
    add { $0.visits.removeSubrange((count / 2)...) }
    add { $0.visits.removeSubrange(..<(count / 2)) }
    add { $0.offline = [] }
    add { $0.oneFateIn = 0 }
    add { if let last = $0.visits.last { $0.endMs = last.span.endMs + 60_000 } }
    for index in trace.visits.indices {
      add { $0.visits.remove(at: index) }
      add { $0.visits[index].killMs = .max }
    }
    for index in trace.offline.indices { add { $0.offline.remove(at: index) } }
    for index in trace.unlocked.indices {
      add {
        // Unlocked up to the next time.
        guard index + 1 < $0.unlocked.count else { return }
        $0.unlocked[index].endMs = $0.unlocked[index + 1].endMs
        $0.unlocked.remove(at: index + 1)
      }
    }
    return cases
  }

  func report() throws -> String {
    "\(try difference() ?? "nothing")\n\(kind)\n\(trace)\nmodel \(modelled())\nclient \(try played())"
  }
}
