import Linux

/// Standard output or standard error, written without a buffer, so that nothing is lost when the
/// process is killed.
package struct StandardStream: Sendable {
  private let descriptor: Descriptor

  package static let output = StandardStream(descriptor: Descriptor(borrowing: 1))
  package static let error = StandardStream(descriptor: Descriptor(borrowing: 2))

  /// Writes all of `text`.
  ///
  /// - Returns: Whether the reader took it.
  @discardableResult
  package func write(_ text: String) -> Bool {
    do {
      try descriptor.write(text.utf8)
      return true
    } catch {
      return false
    }
  }
}
