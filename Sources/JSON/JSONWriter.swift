/// Writes values, keys sorted by their bytes, so that two equal values give equal texts.
///
/// Texts are escaped as `JSON.stringify` does: only `"`, `\` and control characters. A double is
/// the shortest decimal that reads back as itself, and never looks like an integer.
package struct JSONWriter {
  package enum Layout: Equatable, Sendable {
    /// One line without blanks.
    case compact
    /// Two blanks a level; empty containers stay on one line; no line end after the last one.
    case pretty
  }

  private let layout: Layout
  private var output: [UInt8] = []

  private init(_ layout: Layout) {
    self.layout = layout
    output.reserveCapacity(1024)
  }

  package static func bytes(of value: JSONValue, _ layout: Layout = .compact) -> [UInt8] {
    var writer = JSONWriter(layout)
    writer.write(value, depth: 0)
    return writer.output
  }

  package static func text(of value: JSONValue, _ layout: Layout = .compact) -> String {
    String(decoding: bytes(of: value, layout), as: UTF8.self)
  }

  private mutating func write(_ value: JSONValue, depth: Int) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(String(value))
    case .unsigned(let value): append(String(value))
    case .double(let value): append(value.isFinite ? value.description : "null")
    case .text(let value): write(text: value)
    case .list(let values): write(values, depth: depth)
    case .object(let object): write(object, depth: depth)
    }
  }

  private mutating func write(_ values: [JSONValue], depth: Int) {
    output.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      separate(index, depth: depth + 1)
      write(value, depth: depth + 1)
    }
    if !values.isEmpty { breakLine(depth) }
    output.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ object: JSONObject, depth: Int) {
    output.append(UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      separate(index, depth: depth + 1)
      write(text: member.key)
      output.append(UInt8(ascii: ":"))
      if layout == .pretty { output.append(UInt8(ascii: " ")) }
      write(member.value, depth: depth + 1)
    }
    if !object.members.isEmpty { breakLine(depth) }
    output.append(UInt8(ascii: "}"))
  }

  private mutating func separate(_ index: Int, depth: Int) {
    if index > 0 { output.append(UInt8(ascii: ",")) }
    breakLine(depth)
  }

  private mutating func breakLine(_ depth: Int) {
    guard layout == .pretty else { return }
    output.append(UInt8(ascii: "\n"))
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  private mutating func append(_ text: String) {
    output.append(contentsOf: text.utf8)
  }

  private mutating func write(text: String) {
    output.append(UInt8(ascii: "\""))
    if Self.needsEscape(text.utf8.span) {
      for byte in text.utf8 { write(escaping: byte) }
    } else {
      output.append(contentsOf: text.utf8)
    }
    output.append(UInt8(ascii: "\""))
  }

  /// Looks at every byte without leaving early, so that the loop works on many at once.
  private static func needsEscape(_ span: Span<UInt8>) -> Bool {
    var needsEscape = false
    for index in span.indices {
      let byte = span[index]
      let isSpecial = byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      needsEscape = needsEscape || isSpecial
    }
    return needsEscape
  }

  private mutating func write(escaping byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    case ..<0x20: append("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
    default: output.append(byte)
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The compact text.
  package var description: String { JSONWriter.text(of: self) }
}
