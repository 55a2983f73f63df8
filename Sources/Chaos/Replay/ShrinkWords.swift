/// How much smaller a finding became.
enum ShrinkWords {
  /// `shrunk: 9 -> 4 decisions`, or `already smallest: 4 decisions`.
  static func text(_ old: Int, _ new: Int, _ thing: String) -> String {
    let things = "\(thing)\(new == 1 ? "" : "s")"
    return old == new ? "already smallest: \(new) \(things)" : "shrunk: \(old) -> \(new) \(things)"
  }
}

extension Finding {
  /// How much smaller its replay is than what was found.
  package var sizeWords: String {
    ShrinkWords.text(foundChoiceCount, replay.choices.count, "decision")
  }
}
