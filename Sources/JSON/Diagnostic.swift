/// Shows an error beside the line that it is about.
///
/// ```
/// my-save.json5:6:19: unknown verdict 'recovr'; nearest: recover
///   6 |     good: { K0: ["recovr"], K1: ["keep", "recover"] },
///     |                   ^^^^^^  allowed: keep recover defer cleanOut reject
/// ```
/// No line is wider than 100 columns, but the first one, if the file's name is long; of a long
/// source line only the part around the place is shown. Tabs are shown as one blank, other
/// control characters as `?`.
package struct Diagnostic: Equatable, Sendable {
  package static let widthMax = 100

  package var file: String
  package var error: JSONError
  private var sourceLine: String

  /// `file` is the name as the user gave it, `source` the whole text that was read; it need not
  /// be valid UTF-8.
  package init(_ error: JSONError, file: String, source: [UInt8]) {
    self.file = file
    self.error = error
    sourceLine = Self.line(Int(error.range.line), of: source)
  }

  package init(_ error: JSONError, file: String, source: String) {
    self.init(error, file: file, source: Array(source.utf8))
  }

  /// The first line alone, for logs.
  package var headline: String { "\(file):\(error)" }

  /// All lines, without a line end after the last one.
  package var text: String {
    let number = String(error.range.line)
    let gutter = String(repeating: " ", count: 2 + number.count) + " |"
    let (shown, caretStart, caretWidth) = window(widthMax: Self.widthMax - gutter.count - 1)
    let caret =
      gutter + " " + String(repeating: " ", count: caretStart)
      + String(repeating: "^", count: caretWidth)
    return ([headline, "  \(number) | \(shown)"] + withAllowed(caret, gutter))
      .joined(separator: "\n")
  }

  /// The caret's line, with what is allowed behind it, or below it when it is too long.
  private func withAllowed(_ caret: String, _ gutter: String) -> [String] {
    guard let allowed = error.problem.allowed else { return [caret] }
    let whole = "allowed: " + allowed
    if caret.count + 2 + whole.count <= Self.widthMax { return [caret + "  " + whole] }
    var lines = [caret]
    for line in TextLayout.wrap(whole, width: Self.widthMax - gutter.count - 3) {
      lines.append(gutter + "   " + line)
    }
    return lines
  }

  /// The part of the line that is shown, and where the caret stands in it.
  private func window(widthMax: Int) -> (shown: String, caretStart: Int, caretWidth: Int) {
    let scalars = Array(sourceLine.unicodeScalars)
    let start = min(Int(error.range.column) - 1, scalars.count)
    let wanted = max(1, min(Int(error.range.width), max(1, scalars.count - start)))
    guard scalars.count > widthMax else { return (sourceLine, start, wanted) }
    let mark = "..."
    let room = widthMax - 2 * mark.count
    // A third of the room goes to what stands before the place.
    let first = max(0, min(start - room / 3, scalars.count - room))
    let last = min(scalars.count, first + room)
    var shown = String.UnicodeScalarView(scalars[first..<last])
    var caretStart = start - first
    if first > 0 {
      shown.insert(contentsOf: mark.unicodeScalars, at: shown.startIndex)
      caretStart += mark.count
    }
    if last < scalars.count { shown.append(contentsOf: mark.unicodeScalars) }
    return (String(shown), caretStart, max(1, min(wanted, last - start)))
  }

  private static func line(_ number: Int, of source: [UInt8]) -> String {
    var line = 1
    var start = 0
    var end = 0
    while end < source.count {
      let byte = source[end]
      guard byte == 0x0A || byte == 0x0D else {
        end += 1
        continue
      }
      if line == number { break }
      end += byte == 0x0D && end + 1 < source.count && source[end + 1] == 0x0A ? 2 : 1
      line += 1
      start = end
    }
    var text = String.UnicodeScalarView()
    for scalar in String(decoding: source[start..<end], as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case 0x09: text.append(" ")
      case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029: text.append("?")
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
