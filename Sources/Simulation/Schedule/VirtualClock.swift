import Ports

/// The time of a simulated run. It moves when nothing else can.
package final class VirtualClock: WallClock {
  private let startMs: Int64

  /// Time since the start of the run.
  package private(set) var elapsed = Duration.zero

  /// Starts at a time of day, in milliseconds since 1970.
  package init(startMs: Int64) {
    self.startMs = startMs
  }

  package var nowMs: Int64 { nowNs / 1_000_000 }

  /// Nanoseconds since 1970.
  package var nowNs: Int64 {
    let (seconds, attoseconds) = elapsed.components
    return startMs * 1_000_000 + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// Moves on to a time since the start.
  func move(to elapsed: Duration) {
    precondition(elapsed >= self.elapsed, "time does not go back")
    self.elapsed = elapsed
  }
}
