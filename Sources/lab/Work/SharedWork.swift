import Chaos
import JSON
import Phone
import Reports
import Terminal

/// Work in numbered units that processes and machines can share.
enum SharedWork {
  case chaos(Campaign.Plan, gallery: [Scenario])
  case comparison(Comparison.Plan)

  struct Unit {
    let phase: String
    let name: String
    /// Those with the lowest are done first.
    let turn: Int
  }

  /// The numbers of a shard's units, in the order in which they are done.
  func order(of shard: Shard) -> [Int] {
    let units = units
    return units.indices.filter(shard.takes).sorted {
      (units[$0].turn, $0) < (units[$1].turn, $1)
    }
  }

  /// The work that a plan stands for.
  ///
  /// - Parameters:
  ///   - schema: Of its result.
  ///   - plan: What ``plan`` gave.
  /// - Throws: `JSONError` at the place of what cannot be read, `Failure` for an unknown schema.
  init(schema: String, plan: JSONNode) throws {
    switch schema {
    case ChaosReport.schema:
      self = .chaos(try Campaign.Plan(plan), gallery: try Scenarios.gallery())
    case CompareReport.schema: self = .comparison(try Comparison.Plan(plan))
    default: throw Failure.couldNotRun("'\(schema)' is no work that can be shared")
    }
  }

  var schema: String {
    switch self {
    case .chaos: ChaosReport.schema
    case .comparison: CompareReport.schema
    }
  }

  var plan: JSONValue {
    switch self {
    case .chaos(let plan, _): plan.json
    case .comparison(let plan): plan.json
    }
  }

  var units: [Unit] {
    switch self {
    case .chaos(let plan, let gallery):
      plan.units(gallery: gallery).map {
        Unit(phase: $0.phase.rawValue, name: "\($0)", turn: $0.turn)
      }
    case .comparison(let plan):
      plan.units.map { Unit(phase: $0.phone.rawValue, name: "\($0)", turn: 0) }
    }
  }
}

/// Does units of shared work in this process.
struct UnitWorker {
  private let stages: [Stage]
  /// Does the unit with a number.
  let perform: (Int) throws(PhoneHostError) -> JSONValue

  /// Makes the phones that the work needs.
  ///
  /// - Throws: `Failure` when there is no such phone.
  init(
    _ work: SharedWork, _ shard: Shard, _ console: Console, shouldStop: @escaping () -> Bool
  ) throws {
    switch work {
    case .chaos(let plan, let gallery):
      stages = try plan.tiers.map { try Stage($0, console, number: shard.index) }
      let campaign = Campaign(
        plan, gallery: gallery, on: stages.map(\.phone), shouldStop: shouldStop)
      let units = plan.units(gallery: gallery)
      perform = { number throws(PhoneHostError) in try campaign.run(units[number]).json }
    case .comparison(let plan):
      stages = []
      let comparison = Comparison(plan, shouldStop: shouldStop)
      let units = plan.units
      perform = { number throws(PhoneHostError) in try comparison.run(units[number]).json }
    }
  }

  func close() {
    for stage in stages { stage.close() }
  }
}
