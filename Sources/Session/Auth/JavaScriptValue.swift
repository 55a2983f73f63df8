import JSON

/// How JavaScript takes values of JSON where it expects others. A missing member is `nil`.
enum JavaScriptValue {
  /// What `if (value)` decides.
  static func isTruthy(_ value: JSONValue?) -> Bool {
    switch value {
    case nil, .null: false
    case .bool(let value): value
    case .integer(let value): value != 0
    case .unsigned: true
    case .double(let value): value != 0 && !value.isNaN
    case .text(let value): !value.isEmpty
    case .list, .object: true
    }
  }

  /// What `Number(value)` gives.
  static func number(_ value: JSONValue?) -> Double {
    switch value {
    case .null: 0
    case .bool(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .double(let value): value
    case .text(let value): value.isEmpty ? 0 : Double(value) ?? .nan
    case nil, .list, .object: .nan
    }
  }

  /// `JSON.parse`, or the message of its `SyntaxError`.
  static func parse(_ text: String) -> Result<JSONValue, AuthError> {
    do throws(JSONError) {
      return .success(try JSONReader.read(text, JSONRules(.json, duplicateKeys: .lastWins)).value)
    } catch {
      let message = complaint(about: text, at: Int(error.range.column) - 1)
      return .failure(.defect(name: "SyntaxError", message: message))
    }
  }

  /// What V8 says of a text of one line that is not JSON from some place on.
  private static func complaint(about text: String, at offset: Int) -> String {
    let scalars = Array(text.unicodeScalars)
    var offset = offset
    // V8 reads a word as far as it fits.
    for word in ["null", "true", "false"] where offset < scalars.count {
      let rest = scalars[offset...]
      let fitting = zip(rest, word.unicodeScalars).prefix { $0 == $1 }.count
      if fitting > 0 { offset += fitting }
    }
    guard offset < scalars.count else { return "Unexpected end of JSON input" }
    let from = max(offset - contextMax, 0)
    let to = min(offset + contextMax, scalars.count)
    let isShort = scalars.count <= 2 * contextMax
    var context = String.UnicodeScalarView()
    context.append(contentsOf: isShort ? scalars[...] : scalars[from..<to])
    let before = isShort || from == 0 ? "" : "..."
    let after = isShort || to == scalars.count ? "" : "..."
    return "Unexpected token '\(scalars[offset])', "
      + "\(before)\"\(String(context))\"\(after) is not valid JSON"
  }

  private static let contextMax = 10
}
