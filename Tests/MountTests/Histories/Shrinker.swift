/// Looks for a smaller history that still shows a difference.
struct Shrinker {
  /// Carries a history out from the start, on new file systems.
  let difference: ([FileCall]) throws -> Difference?

  /// Deletes calls, then makes their values smaller, as long as there is a difference.
  ///
  /// - Parameter found: A difference.
  /// - Returns: One whose history is no longer.
  /// - Throws: What ``difference`` throws.
  func shrink(_ found: Difference) throws -> Difference {
    var best = found
    var count = Int.max
    while best.history.count < count {
      count = best.history.count
      try deleteCalls(&best)
    }
    try shrinkValues(&best)
    return best
  }

  private func deleteCalls(_ best: inout Difference) throws {
    var length = max(1, best.history.count / 2)
    while true {
      var start = 0
      while start < best.history.count {
        var calls = best.history
        calls.removeSubrange(start..<min(start + length, calls.count))
        if let smaller = try difference(calls) { best = smaller } else { start += length }
      }
      if length == 1 { return }
      length /= 2
    }
  }

  private func shrinkValues(_ best: inout Difference) throws {
    var index = 0
    while index < best.history.count {
      var isSmaller = false
      for call in best.history[index].smaller where !isSmaller {
        var calls = best.history
        calls[index] = call
        guard let smaller = try difference(calls) else { continue }
        best = smaller
        isSmaller = true
      }
      if !isSmaller { index += 1 }
    }
  }
}

extension FileCall {
  /// The same call with a smaller value, smallest first.
  fileprivate var smaller: [FileCall] {
    switch self {
    case .read(let slot, let count): halves(count).map { .read(slot, count: $0) }
    case .readAt(let slot, let count, let offset):
      halves(count).map { .readAt(slot, count: $0, offset: offset) }
        + halves(offset).map { .readAt(slot, count: count, offset: $0) }
    case .write(let slot, let count, let seed):
      halves(count).map { .write(slot, count: $0, seed: seed) }
    case .writeAt(let slot, let count, let offset, let seed):
      halves(count).map { .writeAt(slot, count: $0, offset: offset, seed: seed) }
        + halves(offset).map { .writeAt(slot, count: count, offset: $0, seed: seed) }
    case .seek(let slot, let offset, let from):
      halves(offset).map { .seek(slot, offset: $0, from: from) }
    case .resize(let slot, let size): halves(size).map { .resize(slot, to: $0) }
    case .allocate(let slot, let mode, let offset, let count):
      halves(count).map { .allocate(slot, mode, offset: offset, count: $0) }
        + halves(offset).map { .allocate(slot, mode, offset: $0, count: count) }
    case .truncate(let path, let size): halves(size).map { .truncate(path, to: $0) }
    default: []
    }
  }

  private func halves(_ value: Int) -> [Int] {
    guard value > 0 else { return [] }
    return Set([0, 1, value / 2, value - 1]).filter { $0 < value }.sorted()
  }
}
