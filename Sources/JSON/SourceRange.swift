/// Where something stands in a text, as an editor shows it.
///
/// Lines and columns count from 1. A column counts Unicode scalars, whatever they take in UTF-8;
/// a line ends at LF, CR or CRLF.
package struct SourceRange: Equatable, Hashable, Sendable {
  package var line: Int32
  package var column: Int32
  /// How many scalars it covers on its first line; at least 1, so that a caret can be drawn.
  package var width: Int32

  package init(line: Int, column: Int, width: Int = 1) {
    self.line = Int32(clamping: line)
    self.column = Int32(clamping: column)
    self.width = Int32(clamping: max(width, 1))
  }

  /// The same range without its first and last scalar: the words inside quotes.
  ///
  /// An empty text has nothing inside; then the range stays as it is.
  package var insideQuotes: SourceRange {
    guard width > 2 else { return self }
    return SourceRange(line: Int(line), column: Int(column) + 1, width: Int(width) - 2)
  }
}

extension SourceRange: CustomStringConvertible {
  /// `line:column`, as compilers print it.
  package var description: String { "\(line):\(column)" }
}
