/// Breaks running text into lines.
package enum TextLayout {
  /// Breaks at blanks; a word wider than a line gets a line of its own.
  package static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: true) {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// A paragraph that stands `indent` columns in, its later lines two more.
  package static func paragraph(_ text: String, width: Int, indent: Int) -> [String] {
    wrap(text, width: width - indent - 2).enumerated().map { index, line in
      String(repeating: " ", count: index == 0 ? indent : indent + 2) + line
    }
  }
}
