/// Finds the functions of a file and their lengths.
enum Functions {
  private static let newline = unit("\n")

  struct Found: Equatable {
    let line: Int
    let lineCount: Int
  }

  static func all(in file: SourceFile) -> [Found] {
    let code = Array(file.code.utf16)
    return file.code.hits(#"(?:^|[^.\w`])(func|init|deinit|subscript)\b"#).compactMap { hit in
      guard let open = bodyStart(code, after: hit.start + hit.group.utf16.count) else { return nil }
      let close = closingBrace(code, open)
      let lines = code[hit.start...close].count { $0 == newline } + 1
      return Found(line: file.line(of: hit), lineCount: lines)
    }
  }

  /// The brace that opens the body, or `nil` for a requirement without one.
  private static func bodyStart(_ code: [UInt16], after start: Int) -> Int? {
    var depth = 0
    var index = start
    while index < code.count {
      switch code[index] {
      case unit("("), unit("["): depth += 1
      case unit(")"), unit("]"): depth -= 1
      case unit("{") where depth == 0: return index
      case unit("}") where depth == 0: return nil
      case newline where depth == 0:
        let rest = code[index...].drop { $0 == newline || $0 == unit(" ") }
        let goesOn = ["{", "where ", "->", "throws", "async"].contains {
          rest.starts(with: $0.utf16)
        }
        if !goesOn { return nil }
      default: break
      }
      if depth < 0 { return nil }
      index += 1
    }
    return nil
  }

  private static func closingBrace(_ code: [UInt16], _ open: Int) -> Int {
    var depth = 0
    for index in open..<code.count {
      if code[index] == unit("{") { depth += 1 }
      if code[index] == unit("}") { depth -= 1 }
      if depth == 0 { return index }
    }
    return code.count - 1
  }

  private static func unit(_ scalar: Unicode.Scalar) -> UInt16 {
    UInt16(truncatingIfNeeded: scalar.value)
  }
}
