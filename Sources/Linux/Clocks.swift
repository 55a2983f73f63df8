import Glibc

/// The machine's clocks.
package enum Clocks {
  /// Nanoseconds of a clock that only moves forward; its zero means nothing.
  package static var monotonicNs: Int64 { read(CLOCK_MONOTONIC) }

  /// Nanoseconds since 1970.
  package static var realtimeNs: Int64 { read(CLOCK_REALTIME) }

  /// Nanoseconds that the calling thread has been running; neighbours do not count.
  package static var threadNs: Int64 { read(CLOCK_THREAD_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
