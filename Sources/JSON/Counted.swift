/// Numbers with what they count.
package enum Counted {
  /// `1 image`, `3 images`, `2 stories`.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - one: The word for one of them.
  ///   - several: The word for more; without it that of one, with an `s`.
  /// - Returns: The number and the word.
  package static func words(_ count: Int, _ one: String, _ several: String? = nil) -> String {
    "\(count) \(count == 1 ? one : several ?? one + "s")"
  }
}
