/// Blanks out what is no code.
struct Mask {
  private let input: [Character]
  private var output: [Character]
  private var index = 0

  static func code(of text: String) -> String {
    var mask = Mask(text)
    mask.skipCode(untilParenthesis: false)
    return String(mask.output)
  }

  private init(_ text: String) {
    input = Array(text)
    output = input
  }

  /// Goes to the end, or past the parenthesis that closes an interpolation.
  private mutating func skipCode(untilParenthesis: Bool) {
    var depth = 0
    while index < input.count {
      if starts("//") {
        while index < input.count, !input[index].isNewline { blank() }
      } else if starts("/*") {
        skipBlockComment()
      } else if let hashes = textStart() {
        skipText(hashes)
      } else {
        if input[index] == "(" { depth += 1 }
        if input[index] == ")" { depth -= 1 }
        if untilParenthesis, depth < 0 {
          blank()
          return
        }
        if untilParenthesis { blank() } else { index += 1 }
      }
    }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if starts("/*") {
        depth += 1
        blank(2)
      } else if starts("*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && index < input.count
  }

  /// The number of `#` before a quote that begins here, or `nil`.
  private func textStart() -> Int? {
    var end = index
    while end < input.count, input[end] == "#" { end += 1 }
    return end < input.count && input[end] == "\"" ? end - index : nil
  }

  private mutating func skipText(_ hashes: Int) {
    blank(hashes)
    let isLong = starts("\"\"\"")
    let quote = isLong ? "\"\"\"" : "\""
    let hash = String(repeating: "#", count: hashes)
    blank(quote.count)
    while index < input.count, !starts(quote + hash) {
      if starts("\\" + hash + "(") {
        blank(2 + hashes)
        skipCode(untilParenthesis: true)
      } else if starts("\\" + hash) {
        blank(2 + hashes)
      } else if input[index].isNewline, !isLong {
        return
      } else {
        blank()
      }
    }
    blank(quote.count + hashes)
  }

  private func starts(_ text: String) -> Bool {
    guard index < input.count, input[index] == text.first else { return false }
    return input[index...].starts(with: text)
  }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where index < input.count {
      if !input[index].isNewline { output[index] = " " }
      index += 1
    }
  }
}
