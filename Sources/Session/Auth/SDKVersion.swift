/// The version of auth-js that the app is built with, as far as a store can tell the difference.
package struct SDKVersion: Equatable, Sendable {
  package var major: Int
  package var minor: Int
  package var patch: Int

  package init(_ major: Int, _ minor: Int, _ patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Reads `2.105.3`: exactly three plain numbers.
  package init?(_ text: String) {
    let words = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = words.compactMap { word in
      word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(word) : nil
    }
    guard words.count == 3, numbers.count == 3 else { return nil }
    self.init(numbers[0], numbers[1], numbers[2])
  }

  /// The version whose behaviour is recorded.
  package static let current = SDKVersion(2, 112, 2)

  /// Whether a stored text that is not JSON is treated as nothing and left where it is.
  ///
  /// From 2.105.4 on (pull request 2336). Before, the client took the raw text for an invalid
  /// session and deleted it, which with the two-half stores deletes both halves.
  package var leavesUnreadableText: Bool {
    (major, minor, patch) >= (2, 105, 4)
  }
}

extension SDKVersion: CustomStringConvertible {
  package var description: String { "\(major).\(minor).\(patch)" }
}
