/// A history after which two file systems are not equal.
struct Difference: CustomStringConvertible {
  var history: [FileCall]
  /// What shows it.
  var evidence: String

  var description: String {
    (history.map { "  \($0)" } + ["  => \(evidence)"]).joined(separator: "\n")
  }
}

extension Difference {
  /// Carries a history out on two file systems and compares every outcome, and at the end all that
  /// is stored.
  ///
  /// - Parameters:
  ///   - history: The calls.
  ///   - mount: The file system that is tested.
  ///   - plain: The one that it must equal.
  ///   - seen: Told of each outcome, for counts.
  /// - Returns: Where they differ; `nil` if they do not.
  static func first(
    in history: [FileCall], _ mount: any World, _ plain: any World,
    seen: (FileCall, Outcome) -> Void = { _, _ in }
  ) -> Difference? {
    let comparison = Comparison(mount: mount, plain: plain)
    for (index, call) in history.enumerated() {
      let (outcome, evidence) = comparison.perform(call)
      seen(call, outcome)
      if let evidence {
        return Difference(history: Array(history[...index]), evidence: evidence)
      }
    }
    return comparison.stored(below: "").map { Difference(history: history, evidence: $0) }
  }
}

/// Makes the same calls on two file systems.
private struct Comparison {
  let mount: any World
  let plain: any World

  /// - Returns: The outcome on the plain one, and how the other differs if it does.
  func perform(_ call: FileCall) -> (outcome: Outcome, evidence: String?) {
    let (outcome, expected) = (mount.perform(call), plain.perform(call))
    if outcome == expected { return (expected, nil) }
    return (expected, "\(call): mount \(outcome), tmpfs \(expected)")
  }

  /// Compares what a folder holds, by the calls that a curious program would make.
  func stored(below folder: String) -> String? {
    let (listing, evidence) = perform(.list(folder.isEmpty ? "." : folder))
    if let evidence { return evidence }
    for name in listing.names where name != "." && name != ".." {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      let (status, evidence) = perform(.status(path, follows: false))
      if let evidence { return evidence }
      if let evidence = content(of: path, status) { return evidence }
    }
    return nil
  }

  private func content(of path: String, _ status: Outcome) -> String? {
    let size = status.values[2]
    switch status.values[0] & 0o170000 {
    case 0o040000: return stored(below: path)
    case 0o120000: return perform(.readLink(path)).evidence
    case 0o100000:
      // Of a file with a long hole only both ends.
      let calls: [FileCall] = [
        .open(0, path, flags: 0, mode: 0), .readAt(0, count: min(size, 1 << 19), offset: 0),
        .readAt(0, count: min(size, 1 << 18), offset: max(0, size - 1 << 18)),
      ]
      return calls.lazy.compactMap { perform($0).evidence }.first
    default: return nil
    }
  }
}
