/// A page of the documentation that is written from what the program knows.
package struct ReferencePage {
  /// The name of its file in `Documentation`.
  package let name: String
  package internal(set) var lines: [String]

  init(_ name: String, title: String, intro: [String]) {
    self.name = name
    lines = [
      "# \(title)", "",
      "Written from the program's own tables; to renew it: "
        + "`LAB_WRITE_PAGES=1 ./lab test --filter ReferencePageTests`.",
      "",
    ]
    lines += intro
  }

  /// All, in the order of the index.
  package static var all: [ReferencePage] { [.faults, .verdicts, .phones, .profiles] }

  /// In Markdown.
  package var text: String { lines.joined(separator: "\n") + "\n" }

  mutating func section(_ title: String, level: Int = 2) {
    lines += ["", String(repeating: "#", count: level) + " \(title)", ""]
  }

  mutating func table(_ head: [String], _ rows: [[String]]) {
    lines.append(Self.row(head))
    lines.append("|" + head.map { _ in " --- |" }.joined())
    lines += rows.map(Self.row)
  }

  /// Two columns without a head: a word, and what there is to say of it.
  mutating func facts(_ rows: [(word: String, text: String)]) {
    lines += ["| | |", "| --- | --- |"] + rows.map { Self.row([$0.word, $0.text]) }
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.map { $0.split(separator: "|").joined(separator: "\\|") }.joined(separator: " | ")
      + " |"
  }

  /// A text as the first sentence of something: `The screen locks.`
  static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}
