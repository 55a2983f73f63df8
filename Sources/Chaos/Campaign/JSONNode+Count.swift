import JSON

extension JSONNode {
  /// A number of things that one process counted for another: sums of them stay whole numbers.
  func count() throws(JSONError) -> Int { try integer(in: 0...1_000_000_000_000) }
}
