import Chaos
import Device
import Phone
import Ports

/// A step of a crash map: its places, and neighbours that are alike as one.
struct CrashMapStep {
  let title: String
  /// The kinds of disturbance that something in it knows.
  let kinds: [DisturbanceKind]
  /// A place each.
  let places: [CrashMapRun]

  static func all(of map: CrashMap) -> [CrashMapStep] {
    let kinds = map.kinds
    var groups: [[CrashMap.Place]] = []
    for place in map.places {
      if let last = groups.last?.last?.spot, last.step == place.spot.step,
        last.title == place.spot.title
      {
        groups[groups.count - 1].append(place)
      } else {
        groups.append([place])
      }
    }
    return groups.map { places in
      CrashMapStep(
        title: places[0].spot.title,
        kinds: kinds.filter { kind in places.contains { $0.tallies[kind] != nil } },
        places: places.map(CrashMapRun.init))
    }
  }

  /// Neighbours between two points whose marks are the same in every row, as one.
  var folded: [CrashMapRun] {
    places.reduce(into: []) { runs, run in
      if let last = runs.last, run.isOperation, last.isOperation, run.points.isEmpty,
        kinds.allSatisfy({ last.mark($0) == run.mark($0) })
      {
        runs[runs.count - 1].add(run)
      } else {
        runs.append(run)
      }
    }
  }
}

/// Places in a row that one column or row shows.
struct CrashMapRun {
  private(set) var places: [CrashMap.Place]
  private var tallies: [DisturbanceKind: StateTally]

  init(_ place: CrashMap.Place) {
    places = [place]
    tallies = place.tallies
  }

  mutating func add(_ other: CrashMapRun) {
    places += other.places
    tallies.merge(other.tallies) { one, other in
      var sum = one
      sum += other
      return sum
    }
  }

  var isOperation: Bool { places[0].spot.operation != nil }
  /// The points announced just before it.
  var points: [LogicalPoint] { places[0].spot.points }
  /// Whether survivors of power cuts were drawn.
  var isSampled: Bool { places.contains(where: \.isSampled) }

  func tally(_ kind: DisturbanceKind) -> StateTally? { tallies[kind] }
  func mark(_ kind: DisturbanceKind) -> CrashMapMark { CrashMapMark(tallies[kind]) }

  /// Which operations they are, or what else.
  var words: String {
    let spot = places[0].spot
    guard let first = spot.operation else {
      let count = places[0].momentCount
      return count > 1 ? "\(count) moments of all orders" : "after it all"
    }
    if places.count > 1 { return "\(first) to \(first + places.count - 1)" }
    let half = spot.half.map { ", \($0.rawValue) half" } ?? ""
    return "\(first)" + (spot.kind.map { " \($0.rawValue)" } ?? "") + half
  }
}
