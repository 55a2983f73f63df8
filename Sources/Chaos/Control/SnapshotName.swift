/// What a backup may be called: names stand in lists and behind `lab restore`.
package enum SnapshotName {
  static let countMax = 64

  /// The rule in words.
  package static let rule = "1 to \(countMax) characters, none of them '/' or a control character"

  /// Why a name is refused; `nil` for a good one.
  package static func problem(of name: String) -> String? {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: scalar != "/"
      }
    }
    return isPlain && (1...countMax).contains(name.count)
      ? nil : "a snapshot's NAME has \(rule)"
  }
}
