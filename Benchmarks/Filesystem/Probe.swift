import Linux

/// One thing that is measured again and again, always doing the next piece of the same work.
final class Probe {
  let name: String
  let implementation: String
  let bytes: Int
  let callCount: Int
  private let call: (Int) throws -> Void
  private let tidy: (Range<Int>) throws -> Void
  private var done = 0

  /// - Parameters:
  ///   - name: The case.
  ///   - implementation: Whose it is.
  ///   - bytes: How much one call moves.
  ///   - callCount: How many calls make a batch.
  ///   - tidy: Clears away what the calls with these numbers have left; not measured.
  ///   - call: Makes the call with this number; numbers are used once.
  init(
    _ name: String, _ implementation: String, bytes: Int = 0, callCount: Int,
    tidy: @escaping (Range<Int>) throws -> Void = { _ in },
    call: @escaping (Int) throws -> Void
  ) {
    self.name = name
    self.implementation = implementation
    self.bytes = bytes
    self.callCount = callCount
    self.call = call
    self.tidy = tidy
  }

  /// Makes some batches of calls.
  ///
  /// - Returns: Nanoseconds of one call in the best batch. A batch is short enough to fall between
  ///   two interruptions by neighbours, a round of several is not.
  /// - Throws: What a call threw.
  func measure(batchCount: Int) throws -> Double {
    var best = Double.infinity
    for _ in 0..<batchCount {
      let first = done
      let start = Clocks.monotonicNs
      for _ in 0..<callCount {
        try call(done)
        done += 1
      }
      best = min(best, Double(Clocks.monotonicNs - start) / Double(callCount))
      try tidy(first..<done)
    }
    return best
  }
}
