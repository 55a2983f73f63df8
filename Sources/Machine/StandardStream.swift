import Glibc

/// Standard output or standard error, written without a buffer, so that nothing is lost when the
/// process is killed.
package struct StandardStream: Sendable {
  private let descriptor: Int32

  package static let output = StandardStream(descriptor: STDOUT_FILENO)
  package static let error = StandardStream(descriptor: STDERR_FILENO)

  /// Writes all of `text`.
  ///
  /// - Returns: Whether the reader took it.
  @discardableResult
  package func write(_ text: String) -> Bool {
    FullWrite.write(Array(text.utf8), to: descriptor) == 0
  }
}
