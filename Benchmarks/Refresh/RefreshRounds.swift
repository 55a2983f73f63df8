import Linux

/// Plays all fleets, round by round, and refreshes against a served server.
struct RefreshRounds: Rounds {
  static let lab = "lab"
  static let neighbours = "neighbours"
  static let speed = "device-days, one core"
  static let day = "device-day"
  static let refresh = "refresh, round trip"
  static let health = "health, round trip"
  static let sleep = "tick overshoot"
  static let retry = "retry in 3 s, late by"

  /// Where a fleet lives: what the phone does with an app that is not in front, and whether the server
  /// gives its newest token to who missed it.
  enum Place: CaseIterable {
    case suspended, running, strict

    var title: String {
      switch self {
      case .suspended: "app suspended in the background"
      case .running: "app runs on in the background"
      case .strict: "server forgives nothing"
      }
    }

    var habits: FleetHabits {
      var habits = FleetHabits()
      if self == .running { habits.graceMs = .max }
      return habits
    }

    var kinds: [RefreshKind] {
      RefreshKind.all.map { kind in
        var kind = kind
        kind.isForgiving = self != .strict
        return kind
      }
    }
  }

  struct Fleet: Hashable {
    var place: Place
    var kind: RefreshKind

    static let all = Place.allCases.flatMap { place in
      place.kinds.map { Fleet(place: place, kind: $0) }
    }
  }

  final class Results {
    fileprivate(set) var tallies: [Fleet: FleetTally] = [:]
  }

  private(set) var ledger = Ledger()
  /// The same after each round.
  let results = Results()
  private let parameters: RefreshSuite.Parameters
  private var hasRetried = false

  init(_ parameters: RefreshSuite.Parameters) { self.parameters = parameters }

  /// Of all fleets, in their order.
  var digest: String {
    let digests = Fleet.all.compactMap { results.tallies[$0]?.digest }
    let whole = digests.reduce(UInt64(0)) { ($0 &* 31) ^ $1 }
    let text = String(whole, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  mutating func play(_ watch: Watch) throws {
    ledger.add(Double(try MachineDescription.neighbourCount()), Self.neighbours, Self.lab)
    var ns: Int64 = 0
    var deviceDays = 0.0
    for fleet in Fleet.all {
      try watch.check()
      let start = Clocks.threadNs
      let tally = FleetTally.play(
        fleet.kind, fleet.place.habits, deviceCount: parameters.deviceCount,
        dayCount: parameters.dayCount, seed: parameters.seed)
      ns += Clocks.threadNs - start
      deviceDays += tally.deviceDays
      guard results.tallies[fleet, default: tally].digest == tally.digest else {
        throw BenchmarkError.differentWork("the fleet's second round")
      }
      results.tallies[fleet] = tally
    }
    ledger.add(deviceDays * 1e9 / Double(ns), Self.speed, Self.lab)
    ledger.add(Double(ns) / deviceDays, Self.day, Self.lab)
    try watch.check()
    try playServed()
    if !hasRetried { try playRetries() }
    hasRetried = true
  }

  private mutating func playServed() throws {
    let served = try ServedRefresh()
    defer { served.end() }
    for ns in try served.refreshes(parameters.refreshCount) {
      ledger.add(ns, Self.refresh, Self.lab)
    }
    for ns in try served.healthChecks(parameters.refreshCount) {
      ledger.add(ns, Self.health, Self.lab)
    }
    for ns in served.overshoots(parameters.sleepCount) { ledger.add(ns, Self.sleep, Self.lab) }
  }

  /// Once, for it takes seconds.
  private mutating func playRetries() throws {
    let served = try ServedRefresh()
    defer { served.end() }
    for ns in try served.retries(failing: parameters.failureCount) {
      ledger.add(ns, Self.retry, Self.lab)
    }
  }
}
