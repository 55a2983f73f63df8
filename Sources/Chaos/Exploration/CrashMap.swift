package import Device
package import Phone
package import Ports

/// What became of the session when something happened at each operation of the explored saves: place
/// by place, and for each kind of disturbance in how many states the store did what.
///
/// The contract. A power cut counts each different state once that it can leave at a place, a kill the
/// one that it leaves; a refused call counts twice for each error, at a cold start at once and at one
/// after the rest of the history. A state counts by its first failure, or else by what the first cold
/// start showed, as the causes of an ``Exploration`` do. Where calls overlap, a place is all that lies
/// behind one point, in all orders. Crashes in the recovery from another crash have no place here.
package struct CrashMap: Equatable, Sendable {
  /// In the order in which they were reached.
  package private(set) var places: [Place] = []
  /// Whether the refused calls were drawn from more, so that a place without one says nothing.
  package var drawsRefusals = false
  private var indices: [Key: Int] = [:]

  package init() {}

  /// Where in a history something happened.
  package struct Spot: Equatable, Sendable {
    /// The position of the step in its history, and what it does.
    package let step: Int
    package let title: String
    /// Just behind which operation of the step, from 1: what `op:N` counts. `nil` after the step, and
    /// where calls overlap.
    package var operation: Int?
    package var kind: OperationKind?
    package var half: Half?
    /// The points that were announced since the operation before.
    package var points: [LogicalPoint] = []
    /// The last point that the step had announced.
    package var point: LogicalPoint?

    package init(step: Int, title: String) {
      self.step = step
      self.title = title
    }
  }

  package struct Place: Equatable, Sendable {
    package let spot: Spot
    /// How many moments of crashes fell here: more than one where calls overlap, none where there
    /// were only refused calls or flipped bits.
    package internal(set) var momentCount = 0
    /// How many choices of a power cut's survivors were looked at.
    package internal(set) var cutCount = 0
    /// Whether those were drawn from more.
    package internal(set) var isSampled = false
    package internal(set) var tallies: [DisturbanceKind: StateTally] = [:]

    init(_ spot: Spot) {
      self.spot = spot
    }
  }

  private struct Key: Hashable {
    let step: Int
    let title: String
    let operation: Int?
    let point: LogicalPoint?
  }

  /// The kinds of disturbance that it has something of.
  package var kinds: [DisturbanceKind] {
    DisturbanceKind.allCases.filter { kind in places.contains { $0.tallies[kind] != nil } }
  }

  /// What all places together came to. A state that several places lead to counts for each.
  package func total(_ kind: DisturbanceKind) -> StateTally {
    places.reduce(into: StateTally()) { sum, place in
      if let tally = place.tallies[kind] { sum += tally }
    }
  }
}

extension CrashMap {
  /// Adds what one state came to.
  package mutating func note(_ verdict: Verdict?, _ kind: DisturbanceKind, at spot: Spot) {
    places[index(of: spot)].tallies[kind, default: StateTally()].add(verdict)
  }

  /// Adds a moment: how many choices of survivors were looked at there, and whether they were drawn.
  mutating func noteMoment(cuts: Int, isSampled: Bool, at spot: Spot) {
    let index = index(of: spot)
    places[index].momentCount += 1
    places[index].cutCount += cuts
    places[index].isSampled = places[index].isSampled || isSampled
  }

  mutating func add(_ place: Place) {
    places[index(of: place.spot)] = place
  }

  private mutating func index(of spot: Spot) -> Int {
    let key = Key(
      step: spot.step, title: spot.title, operation: spot.operation, point: spot.point)
    if let index = indices[key] { return index }
    indices[key] = places.count
    places.append(Place(spot))
    return places.count - 1
  }
}
