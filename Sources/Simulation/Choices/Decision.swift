/// One choice that a run made: about what, among how many, and which.
package struct Decision: Equatable, Sendable {
  /// Starts with the kind: all of it, or what stands before a colon (`network: POST /token`).
  package let label: String
  package let count: Int
  /// Counts from 0.
  package let choice: Int

  package init(label: String, count: Int, choice: Int) {
    precondition((0..<count).contains(choice), "a decision is one of its alternatives")
    self.label = label
    self.count = count
    self.choice = choice
  }

  /// What a label is about; streams and swarms go by it.
  static func kind(of label: String) -> String {
    guard let colon = label.utf8.firstIndex(of: UInt8(ascii: ":")) else { return label }
    return String(label[..<colon])
  }
}
