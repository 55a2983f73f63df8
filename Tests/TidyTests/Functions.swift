/// Finds the functions of a file and their lengths.
enum Functions {
  struct Found: Equatable {
    let line: Int
    let lineCount: Int
  }

  static func all(in file: SourceFile) -> [Found] {
    let code = Array(file.code)
    return file.code.hits(/(?:^|[^.\w`])(func|init|deinit|subscript)\b/).compactMap {
      match in
      let start = file.code.distance(from: file.code.startIndex, to: match.1.startIndex)
      guard let open = bodyStart(code, after: start + match.1.count) else { return nil }
      let close = closingBrace(code, open)
      let lines = code[start...close].count { $0.isNewline } + 1
      return Found(line: file.line(at: match.1.startIndex), lineCount: lines)
    }
  }

  /// The brace that opens the body, or `nil` for a requirement without one.
  private static func bodyStart(_ code: [Character], after start: Int) -> Int? {
    var depth = 0
    var index = start
    while index < code.count {
      switch code[index] {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return index
      case "}" where depth == 0: return nil
      case let character where character.isNewline && depth == 0:
        let rest = code[index...].drop { $0.isWhitespace }
        let goesOn = ["{", "where ", "->", "throws", "async"].contains { rest.starts(with: $0) }
        if !goesOn { return nil }
      default: break
      }
      if depth < 0 { return nil }
      index += 1
    }
    return nil
  }

  private static func closingBrace(_ code: [Character], _ open: Int) -> Int {
    var depth = 0
    for index in open..<code.count {
      if code[index] == "{" { depth += 1 }
      if code[index] == "}" { depth -= 1 }
      if depth == 0 { return index }
    }
    return code.count - 1
  }
}
