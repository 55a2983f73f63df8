/// How a run came to its end.
package enum Outcome: Equatable, Sendable {
  /// All tasks ended.
  case finished
  /// Something waits for a time after the deadline; the run can go on.
  case timeUp
  /// Nothing can go on, no timer is set, and these have not ended.
  case hang([Wait])
  /// Too many steps without the clock moving, with these still at it.
  case livelock([Wait])
  /// Tasks of ended processes do not end.
  case undead([Wait])
  /// The choices are not those that were recorded.
  case diverged(Divergence)
}

extension Outcome: CustomStringConvertible {
  package var description: String {
    switch self {
    case .finished: "finished"
    case .timeUp: "time is up"
    case .hang(let waits): "hang: \(Self.text(waits))"
    case .livelock(let waits): "livelock: \(Self.text(waits))"
    case .undead(let waits): "not ended by the end of its process: \(Self.text(waits))"
    case .diverged(let divergence): "\(divergence)"
    }
  }

  private static func text(_ waits: [Wait]) -> String {
    waits.map(\.description).joined(separator: "; ")
  }
}

/// What a task that has not ended waits for.
package struct Wait: Equatable, Sendable {
  package var process: String
  package var task: String
  /// Where it waits, or where it was last when it waits for something that is no port.
  package var last: Checkpoint?
  package var isAtCheckpoint: Bool
}

extension Wait: CustomStringConvertible {
  package var description: String {
    guard let last else { return "\(process)/\(task): outside all ports" }
    return isAtCheckpoint ? "\(last)" : "\(process)/\(task): outside all ports, after \(last)"
  }
}
