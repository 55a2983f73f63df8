/// Finds what may be a key or a token in a line of somebody else's, however it is spelled.
///
/// What is looked for: long runs of letters and digits, the parts of a token, base64 with its slashes,
/// pairs or groups of hexadecimal digits with something between them, lists of bytes as decimal or
/// octal numbers, and bytes escaped in a text. What is too short to be a key of 128 bits stays, and so do
/// words, paths, versions, ports and addresses of machines.
///
/// - Complexity: O(*n*) for *n* characters.
package struct SecretSpelling {
  /// No word of a language is as long, and all keys and tokens are longer.
  static let runMin = 20
  /// 128 bits.
  static let bytesMin = 16
  /// Of a list of decimal numbers that begins on a line of its own and goes on.
  static let listMin = 12
  static let digitsMin = 30

  let text: [Unicode.Scalar]
  private(set) var isCut: [Bool]

  /// - Parameters:
  ///   - line: What was printed.
  ///   - isInList: Whether the line before has opened a list of numbers that goes on here.
  package init(_ line: String, isInList: Bool = false) {
    text = Array(line.unicodeScalars)
    isCut = Array(repeating: false, count: text.count)
    cutRuns()
    cutBase64()
    cutHexadecimal()
    cutDecimals(isInList: isInList)
    cutEscapes()
  }

  /// The line with a `…` in the place of each secret.
  package var shown: String { shown(upTo: text.count) }

  /// The same of its first characters.
  package func shown(upTo end: Int) -> String {
    var shown = ""
    for index in text.indices.prefix(end) {
      guard isCut[index] else {
        shown.unicodeScalars.append(text[index])
        continue
      }
      if index == 0 || !isCut[index - 1] { shown += "…" }
    }
    return shown
  }

  // MARK: - What a line leaves open

  /// Whether a list of numbers goes on in the line behind this one.
  ///
  /// - Parameters:
  ///   - line: A line.
  ///   - isInList: Whether it stands in a list itself.
  /// - Returns: `true` behind `Uint8Array(32) [`, and behind numbers that end with a comma.
  package static func opensList(_ line: String, isInList: Bool) -> Bool {
    let trimmed = line.trimmed
    guard let last = trimmed.last else { return isInList }
    if "[({".contains(last) { return true }
    guard last == "," else { return false }
    let items = Decimals(Array(trimmed.unicodeScalars)).trailingCount
    return items > 0 && (isInList || items >= 4)
  }

  // MARK: - Runs

  private mutating func cutRuns() {
    var index = 0
    while index < text.count {
      guard text[index].isOfRun else {
        index += 1
        continue
      }
      let begin = index
      while index < text.count, text[index].isOfRun { index += 1 }
      // What a dot joins to a part of a token is its next part.
      let isNextPart = begin > 1 && text[begin - 1] == "." && isCut[begin - 2]
      if isNextPart || Self.isSecret(text[begin..<index]) { cut(begin..<index) }
    }
  }

  private static func isSecret(_ run: ArraySlice<Unicode.Scalar>) -> Bool {
    guard run.count >= runMin else { return false }
    let hasDigit = run.contains(where: \.isDigit)
    let hasLetter = run.contains(where: \.isLetter)
    if hasDigit && hasLetter || run.count >= digitsMin && hasDigit { return true }
    return isScrambled(run, changesMin: 50)
  }

  /// Whether small and capital letters and digits follow each other as in no word: at so many of a
  /// hundred places, of 64 where each character is drawn.
  private static func isScrambled(
    _ run: ArraySlice<Unicode.Scalar>, changesMin: Int
  ) -> Bool {
    let changes = zip(run, run.dropFirst()).count { $0.kind != $1.kind }
    return changes * 100 >= (run.count - 1) * changesMin && run.contains { $0.kind == .capital }
      && run.contains { $0.kind == .small }
  }

  /// Base64 with its slashes. A path is made of words, but may have the name of something drawn among
  /// them; it is known by its first slash.
  private mutating func cutBase64() {
    var index = 0
    while index < text.count {
      guard text[index].isOfRun || text[index] == "/" else {
        index += 1
        continue
      }
      let begin = index
      while index < text.count, text[index].isOfRun || text[index] == "/" { index += 1 }
      let run = text[begin..<index]
      let isPath = run.first == "/"
      if run.contains("/"), !isPath, run.count >= Self.runMin, Self.isScrambled(run, changesMin: 45)
      {
        cut(begin..<index)
      }
    }
  }

  // MARK: - Groups of hexadecimal digits

  private mutating func cutHexadecimal() {
    var index = 0
    while index < text.count {
      guard let group = hexadecimalGroup(at: index) else {
        index += 1
        continue
      }
      var (end, digitCount) = (group.end, group.digitCount)
      var isColoned = false
      while let next = separatorEnd(from: end, ":-,.;_|"),
        let following = hexadecimalGroup(at: next), following.digitCount == group.digitCount
      {
        isColoned = isColoned || text[end] == ":"
        (end, digitCount) = (following.end, digitCount + following.digitCount)
      }
      // Eight groups of four with colons are an address of a machine.
      let isAddress = isColoned && group.digitCount == 4 && digitCount <= 2 * Self.bytesMin
      if digitCount >= 2 * Self.bytesMin, !isAddress { cut(index..<end) }
      index = max(end, index + 1)
    }
  }

  /// Two, four or eight hexadecimal digits that stand alone, perhaps behind `0x`, or six octal ones, as
  /// `od` prints two bytes.
  private func hexadecimalGroup(at begin: Int) -> (end: Int, digitCount: Int)? {
    guard begin < text.count, begin == 0 || !text[begin - 1].isLetterOrDigit else { return nil }
    let hasMark =
      begin + 1 < text.count && text[begin] == "0"
      && "xX".unicodeScalars.contains(text[begin + 1])
    let first = hasMark ? begin + 2 : begin
    var end = first
    while end < text.count, text[end].properties.isASCIIHexDigit { end += 1 }
    let isWord =
      end - first == 6 && "01".unicodeScalars.contains(text[first])
      && text[first..<end].allSatisfy(\.isOctalDigit)
    guard [2, 4, 8].contains(end - first) || isWord || hasMark && end - first == 1,
      end == text.count || !text[end].isLetterOrDigit
    else { return nil }
    return (end, max(2, end - first))
  }

  /// Where the next item begins behind one separator and blanks; `nil` when none of them is there.
  private func separatorEnd(from begin: Int, _ separators: String) -> Int? {
    var end = begin
    if end < text.count, separators.unicodeScalars.contains(text[end]) { end += 1 }
    while end < text.count, text[end] == " " { end += 1 }
    return end > begin ? end : nil
  }

  // MARK: - Lists of decimal numbers

  private mutating func cutDecimals(isInList: Bool) {
    for list in Decimals(text).lists {
      let isAll = list.range.lowerBound == list.first && list.isUpToEnd
      let isLong = list.count >= Self.listMin
      let goesOn = list.endsWithComma && list.isUpToEnd && list.count >= 4
      if isLong || goesOn || isInList && isAll { cut(list.range) }
    }
  }

  // MARK: - Escapes

  /// Bytes that a text spells as `\x8a`, `\u008a`, `\212` or `%8A`, with the characters between them.
  private mutating func cutEscapes() {
    var index = 0
    while index < text.count {
      guard let first = escapeEnd(at: index) else {
        index += 1
        continue
      }
      var (end, count, byteCount) = (first, 1, 1)
      while let next = (end...end + 8).first(where: { escapeEnd(at: $0) != nil }),
        let nextEnd = escapeEnd(at: next)
      {
        byteCount += next - end + 1
        (end, count) = (nextEnd, count + 1)
      }
      if count >= 4 {
        let begin = text[..<index].lastIndex(where: \.endsText).map { $0 + 1 } ?? 0
        let behind = text[end...].firstIndex(where: \.endsText) ?? text.count
        if byteCount + (index - begin) + (behind - end) >= 12 { cut(begin..<behind) }
      }
      index = end
    }
  }

  private func escapeEnd(at begin: Int) -> Int? {
    guard begin < text.count else { return nil }
    let rest = text[begin...].prefix(6)
    let word = Array(rest)
    if word.count >= 3, word[0] == "%", word[1...2].allSatisfy(\.properties.isASCIIHexDigit) {
      return begin + 3
    }
    guard word.count >= 4, word[0] == "\\" else { return nil }
    if word[1] == "x", word[2...3].allSatisfy(\.properties.isASCIIHexDigit) { return begin + 4 }
    if word[1...3].allSatisfy(\.isOctalDigit) { return begin + 4 }
    let isUnicode = word.count == 6 && word[1] == "u"
    return isUnicode && word[2...5].allSatisfy(\.properties.isASCIIHexDigit) ? begin + 6 : nil
  }

  private mutating func cut(_ range: Range<Int>) {
    for index in range { isCut[index] = true }
  }
}

/// Lists of numbers that may be bytes: `12, 34`, `12 34`, `"0":12,"1":34`, `014 042`, `0o14, 0o42`.
private struct Decimals {
  struct List {
    /// From its first number, or the name before it, to its last one.
    var range: Range<Int>
    var count = 0
    /// Whether a comma stands behind the last number.
    var endsWithComma = false
    /// Whether nothing but brackets stands behind it.
    var isUpToEnd = false
    /// Where the line's first character is that is no blank.
    var first = 0
  }

  private let text: [Unicode.Scalar]
  private(set) var lists: [List] = []

  init(_ text: [Unicode.Scalar]) {
    self.text = text
    let first = text.firstIndex { $0 != " " && $0 != "\t" } ?? 0
    var index = 0
    while index < text.count {
      guard var end = itemEnd(at: index) else {
        index += 1
        continue
      }
      var list = List(range: index..<end, count: 1, first: first)
      while let next = nextItem(from: end), let following = itemEnd(at: next) {
        end = following
        list.count += 1
      }
      list.range = index..<end
      let behind = text[end...].drop { $0 == " " }
      list.endsWithComma = behind.first == ","
      list.isUpToEnd = text[end...].allSatisfy { " ,])}>;\t".unicodeScalars.contains($0) }
      lists.append(list)
      index = end
    }
  }

  /// How many numbers stand at the end of the line.
  var trailingCount: Int { lists.last.flatMap { $0.isUpToEnd ? $0.count : nil } ?? 0 }

  /// Behind a number of one byte, decimal or octal, or behind such a one with its place before it.
  private func itemEnd(at begin: Int) -> Int? {
    let before = begin == 0 ? " " : text[begin - 1]
    guard !before.isLetterOrDigit, !".\"'-".unicodeScalars.contains(before) else { return nil }
    if let end = numberEnd(at: begin), end == text.count || text[end] != ":" { return end }
    // "0":12
    var index = begin
    let isQuoted = index < text.count && "\"'".unicodeScalars.contains(text[index])
    if isQuoted { index += 1 }
    let digits = index
    while index < text.count, text[index].isDigit { index += 1 }
    guard index > digits else { return nil }
    if isQuoted {
      guard index < text.count, text[index] == text[begin] else { return nil }
      index += 1
    }
    guard index < text.count, text[index] == ":" else { return nil }
    index += 1
    while index < text.count, text[index] == " " { index += 1 }
    return numberEnd(at: index)
  }

  private func numberEnd(at begin: Int) -> Int? {
    let hasMark =
      begin + 1 < text.count && text[begin] == "0" && "oO".unicodeScalars.contains(text[begin + 1])
    let first = hasMark ? begin + 2 : begin
    var end = first
    while end < text.count, text[end].isDigit, end - first < 4 { end += 1 }
    let digits = String(String.UnicodeScalarView(text[first..<end]))
    let isByte = [10, 8].contains { (Int(digits, radix: $0) ?? 256) <= 255 }
    guard isByte, end == text.count || !text[end].isLetterOrDigit else {
      return nil
    }
    // 1.5 is no byte.
    let isFraction = end + 1 < text.count && text[end] == "." && text[end + 1].isDigit
    return isFraction ? nil : end
  }

  private func nextItem(from begin: Int) -> Int? {
    var end = begin
    while end < text.count, text[end] == " " { end += 1 }
    if end < text.count, text[end] == "," { end += 1 }
    while end < text.count, text[end] == " " { end += 1 }
    return end > begin && end < text.count ? end : nil
  }
}

extension Unicode.Scalar {
  fileprivate enum Kind { case small, capital, digit, sign }

  fileprivate var kind: Kind {
    switch self {
    case "a"..."z": .small
    case "A"..."Z": .capital
    case "0"..."9": .digit
    default: .sign
    }
  }

  fileprivate var isOctalDigit: Bool { ("0"..."7").contains(self) }
  fileprivate var isDigit: Bool { kind == .digit }
  fileprivate var isLetter: Bool { kind == .small || kind == .capital }
  fileprivate var isLetterOrDigit: Bool { kind != .sign }
  fileprivate var isOfRun: Bool { kind != .sign || "_-+=".unicodeScalars.contains(self) }
  /// Whether a text of escapes does not go over it.
  fileprivate var endsText: Bool { " \t\"'`<>()[]{}".unicodeScalars.contains(self) }
}

extension String {
  fileprivate var trimmed: Substring {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return rest
  }
}
