import JSON

/// How much smaller a finding became.
enum ShrinkWords {
  /// `shrunk: 9 -> 4 decisions`, or `already smallest: 4 decisions`, which only the end of a search shows.
  static func text(_ old: Int, _ new: Int, _ thing: String, isComplete: Bool = true) -> String {
    let size = Counted.words(new, thing)
    if old != new { return "shrunk: \(old) -> \(size)" }
    return "\(isComplete ? "already smallest" : "no smaller so far"): \(size)"
  }
}

extension Finding {
  /// How much smaller its replay is than what was found.
  package var sizeWords: String {
    ShrinkWords.text(foundChoiceCount, replay.choices.count, "decision")
  }
}
