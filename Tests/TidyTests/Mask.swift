/// Blanks out what is no code.
///
/// Works on bytes; each byte of a scalar beyond ASCII becomes a blank of its own.
struct Mask {
  private let newline = UInt8(ascii: "\n")
  private let input: [UInt8]
  private var output: [UInt8]
  private var index = 0

  static func code(of text: String) -> String {
    var mask = Mask(text)
    mask.skipCode(untilParenthesis: false)
    return String(decoding: mask.output, as: UTF8.self)
  }

  private init(_ text: String) {
    input = Array(text.utf8)
    output = input
  }

  /// Goes to the end, or past the parenthesis that closes an interpolation.
  private mutating func skipCode(untilParenthesis: Bool) {
    var depth = 0
    while index < input.count {
      switch input[index] {
      case UInt8(ascii: "/") where starts("//"):
        while index < input.count, input[index] != newline { blank() }
      case UInt8(ascii: "/") where starts("/*"): skipBlockComment()
      case UInt8(ascii: "\""), UInt8(ascii: "#"):
        if let hashes = textStart() { skipText(hashes) } else { skip(untilParenthesis) }
      case UInt8(ascii: "("):
        depth += 1
        skip(untilParenthesis)
      case UInt8(ascii: ")"):
        depth -= 1
        skip(untilParenthesis)
        if untilParenthesis, depth < 0 { return }
      default: skip(untilParenthesis)
      }
    }
  }

  /// Goes past one byte; inside an interpolation it is blanked like the text around.
  private mutating func skip(_ isInText: Bool) {
    if isInText { blank() } else { index += 1 }
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
    while end < input.count, input[end] == UInt8(ascii: "#") { end += 1 }
    return end < input.count && input[end] == UInt8(ascii: "\"") ? end - index : nil
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
      } else if input[index] == newline, !isLong {
        return
      } else {
        blank()
      }
    }
    blank(quote.count + hashes)
  }

  private func starts(_ text: String) -> Bool {
    guard index < input.count, input[index] == text.utf8.first else { return false }
    return input[index...].starts(with: text.utf8)
  }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where index < input.count {
      if input[index] != newline { output[index] = UInt8(ascii: " ") }
      index += 1
    }
  }
}
