import JSON

/// Draws that are the same in every run.
struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// A random value, and a random way to write it.
struct RandomDocument {
  var draws: SplitMix
  let json5: Bool

  mutating func value(depth: Int = 0) -> JSONValue {
    switch draws.below(depth < 4 ? 9 : 6) {
    case 0: return .null
    case 1: return .bool(draws.below(2) == 0)
    case 2: return .integer(Int64(bitPattern: draws.next() >> UInt64(draws.below(64))))
    case 3: return .number(draws.next())
    case 4:
      let value = Double(bitPattern: draws.next())
      return .double(value.isFinite ? value : 0.1)
    case 5: return .text(text())
    case 6: return .list((0..<draws.below(5)).map { _ in value(depth: depth + 1) })
    default:
      return .object(
        JSONObject(
          (0..<draws.below(6)).map { _ in
            JSONObject.Member(key: text(), value: value(depth: depth + 1))
          }))
    }
  }

  private mutating func text() -> String {
    let letters: [Unicode.Scalar] = [
      "a", "b", "Z", "0", "_", "$", "\"", "'", "\\", "/", "\n", "\t", "\u{0}", "\u{1F}", "é", "名",
      "😀",
      "\u{301}", "\u{2028}", "\u{7F}", "{", ",", ":",
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<draws.below(8) { text.append(draws.pick(letters)) }
    return String(text)
  }

  mutating func blanks() -> String {
    var choices = ["", "", "", " ", "\n", "\t", "\r\n"]
    if json5 { choices += ["// note\n", "/* é\n */", "\u{B}", "\u{C}"] }
    return draws.pick(choices)
  }

  mutating func written(_ value: JSONValue) -> String {
    let body: String
    switch value {
    case .list(let values):
      body = "[" + items(values.map { written($0) }) + "]"
    case .object(let object):
      body = "{" + items(object.members.map { key($0.key) + ":" + written($0.value) }) + "}"
    case .text(let text): body = quoted(text)
    case .integer(let whole) where json5 && whole >= 0 && draws.below(3) == 0:
      body = "0x" + String(whole, radix: 16)
    default: body = JSONWriter.text(of: value)
    }
    return blanks() + body + blanks()
  }

  private mutating func items(_ items: [String]) -> String {
    let comma = json5 && !items.isEmpty && draws.below(3) == 0 ? "," : ""
    return items.joined(separator: ",") + comma + blanks()
  }

  private mutating func key(_ key: String) -> String {
    let isName = !key.isEmpty && key.utf8.allSatisfy { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
    return blanks() + (json5 && isName && draws.below(2) == 0 ? key : quoted(key)) + blanks()
  }

  private mutating func quoted(_ text: String) -> String {
    if draws.below(2) == 0 { return JSONWriter.text(of: .text(text)) }
    var escaped = ""
    for unit in text.utf16 {
      let hex = String(unit, radix: 16, uppercase: draws.below(2) == 0)
      escaped += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    }
    let quote = json5 && draws.below(2) == 0 ? "'" : "\""
    return quote + escaped + quote
  }

  /// Changes a few bytes, mostly to ones that matter to a reader.
  mutating func mutated(_ text: String) -> [UInt8] {
    let signs =
      Array("{}[],:\"'\\/*+-.0123eExuInfityNatrlsb \n\u{0}\u{FEFF}é".utf8) + [0x80, 0xED, 0xFF]
    var bytes = Array(text.utf8)
    for _ in 0..<(1 + draws.below(3)) {
      let place = draws.below(bytes.count + 1)
      switch draws.below(4) {
      case 0: bytes.insert(draws.pick(signs), at: place)
      case 1 where place < bytes.count: bytes.remove(at: place)
      case 2 where place < bytes.count: bytes[place] = draws.pick(signs)
      case 3: bytes = Array(bytes.prefix(max(place, bytes.count - 6)))
      default: break
      }
    }
    return bytes
  }
}
