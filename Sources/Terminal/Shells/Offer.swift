/// What a shell offers at a place of a command line.
package struct Offer: Equatable, Sendable {
  package enum Files: Sendable {
    case no
    case any
    case folders

    /// As help names the value: `FILE`, `OLD.json`, `FOLDER`, `FILE|FOLDER|NAME`.
    init(placeholder: String) {
      let names = placeholder.split(separator: "|")
      if names.contains(where: { $0 == "FILE" || $0.hasSuffix(".json") }) {
        self = .any
      } else {
        self = names.contains("FOLDER") || names.contains("DIR") ? .folders : .no
      }
    }
  }

  let words: [String]
  /// Whether several of the words may stand there, with commas between them.
  let isList: Bool
  let files: Files

  init(_ words: [String] = [], isList: Bool = false, files: Files = .no) {
    self.words = words
    self.isList = isList
    self.files = files
  }

  var isEmpty: Bool { words.isEmpty && files == .no }
}
