/// A phone's own clock, which its owner can set.
package final class SkewedClock: WallClock {
  private let clock: any WallClock
  /// How far it is ahead of the true time; below zero behind it.
  package var aheadMs: Int64

  package init(_ clock: any WallClock, aheadMs: Int64 = 0) {
    self.clock = clock
    self.aheadMs = aheadMs
  }

  package var nowMs: Int64 { clock.nowMs + aheadMs }
}
