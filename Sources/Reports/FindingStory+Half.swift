import Chaos

extension FindingStory.Line {
  /// What one half held then.
  struct Half: Equatable {
    /// `key 2`: the second value that was seen there; `nil` for nothing.
    let value: String?
    let isDurable: Bool
    /// Whether the row before had something else there.
    let isNew: Bool
    /// Its length and the beginning of its digest; `nil` where that could not be read.
    let peek: StoryHalf.Peek?

    static let nothing = Half(value: nil, isDurable: true, isNew: false, peek: nil)

    static let legend = "# durable   ~ volatile (survives a kill, maybe not a power cut)"

    /// What a second value is called, where there is one.
    static func valueLegend(_ halves: [Half]) -> [String] {
      let shown = halves.map(\.value)
      let second: String? = ["key 2", "blob 2"].first(where: shown.contains)
      return second.map { ["\($0): the second value seen there"] } ?? []
    }

    /// `key 2 #`.
    var words: String { value.map { "\($0) \(isDurable ? "#" : "~")" } ?? "-" }

    /// `key 2, 64 bytes, digest 3fa2, durable`.
    var inDetail: String {
      guard let value else { return "nothing" }
      let look = peek.map { ["\($0.bytes) bytes", "digest \($0.mark)"] } ?? ["not readable"]
      return ([value] + look + [isDurable ? "durable" : "volatile"]).joined(separator: ", ")
    }
  }

  /// A half row by row: its values are numbered by their first appearance.
  struct Halves {
    private let word: String
    private var seen: [String] = []
    private var last: StoryHalf?

    init(_ word: String) { self.word = word }

    mutating func next(_ half: StoryHalf) -> Half {
      defer { last = half }
      return Half(
        value: name(half.digest), isDurable: half.isDurable, isNew: last?.digest != half.digest,
        peek: half.peek)
    }

    private mutating func name(_ digest: String?) -> String? {
      guard let digest else { return nil }
      if !seen.contains(digest) { seen.append(digest) }
      return "\(word) \((seen.firstIndex(of: digest) ?? 0) + 1)"
    }
  }
}
