/// Where a case parts on the two tiers.
package enum TierDifference: Equatable, Sendable {
  /// One of them did not have the case at all.
  case cases(simulated: [String], mounted: [String])
  /// What was shown to the oracle, or which faults fired.
  case shown(simulated: String, mounted: String)
  /// The first call of a file that differs, counted from 0; `nil` where its history is over.
  case call(file: String, position: Int, simulated: StorageCall?, mounted: StorageCall?)
  /// What is stored at one moment; `nil` where there is nothing of that name.
  case image(
    moment: String, view: View, file: String, simulated: StoredFile?, mounted: StoredFile?)
  /// The moments at which one of them was interrupted.
  case moments(simulated: [String], mounted: [String])

  package enum View: String, Sendable { case live, durable }
}

extension TierDifference: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cases(let simulated, let mounted):
      Self.text("the cases", "\(simulated)", "\(mounted)")
    case .shown(let simulated, let mounted): Self.text("what is shown", simulated, mounted)
    case .call(let file, let position, let simulated, let mounted):
      Self.text(
        "\(file), call \(position + 1)", simulated.map { "\($0)" } ?? "no more",
        mounted.map { "\($0)" } ?? "no more")
    case .image(let moment, let view, let file, let simulated, let mounted):
      Self.text(
        "\(file), \(view.rawValue) \(moment)", simulated.map { "\($0)" } ?? "nothing",
        mounted.map { "\($0)" } ?? "nothing")
    case .moments(let simulated, let mounted):
      Self.text("the interruptions", "\(simulated)", "\(mounted)")
    }
  }

  private static func text(_ subject: String, _ simulated: String, _ mounted: String) -> String {
    "\(subject): simulated: \(simulated); mounted: \(mounted)"
  }
}
