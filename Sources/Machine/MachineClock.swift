import Glibc
import Ports

/// The machine's own wall clock.
package final class MachineClock: WallClock {
  package init() {}

  package var nowMs: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
