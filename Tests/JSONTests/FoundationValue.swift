import Foundation
import JSON

/// A value as Foundation's decoder sees it, to compare with.
enum FoundationValue: Decodable {
  case null
  case bool(Bool)
  /// As each of the types that it fits: Foundation also gives an integer for `1.0`.
  case number(Double?, Int64?, UInt64?)
  case text(String)
  case list([FoundationValue])
  case object([String: FoundationValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let double = try? container.decode(Double.self)
    let whole = try? container.decode(Int64.self)
    let unsigned = try? container.decode(UInt64.self)
    if container.decodeNil() {
      self = .null
    } else if double != nil || whole != nil || unsigned != nil {
      self = .number(double, whole, unsigned)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([FoundationValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: FoundationValue].self))
    }
  }

  static func read(_ bytes: [UInt8], json5: Bool) -> FoundationValue? {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = json5
    return try? decoder.decode(FoundationValue.self, from: Data(bytes))
  }

  /// Whether ours says the same.
  ///
  /// Foundation's dictionary equates composed and decomposed keys, so ours are put into one too.
  func matches(_ ours: JSONValue) -> Bool {
    switch (self, ours) {
    case (.null, .null): return true
    case (.bool(let value), .bool(let ours)): return value == ours
    case (.number(_, let value, _), .integer(let ours)): return value == ours
    case (.number(_, _, let value), .unsigned(let ours)): return value == ours
    case (.number(let value, _, _), .double(let ours)):
      return value?.bitPattern == ours.bitPattern || value?.isNaN == true && ours.isNaN
    case (.text(let value), .text(let ours)): return value.utf8.elementsEqual(ours.utf8)
    case (.list(let values), .list(let ours)):
      return values.count == ours.count && zip(values, ours).allSatisfy { $0.matches($1) }
    case (.object(let members), .object(let ours)):
      let keys = Dictionary(ours.members.map { ($0.key, $0.value) }) { $1 }
      return members.count == keys.count
        && members.allSatisfy { key, value in keys[key].map(value.matches) ?? false }
    default: return false
    }
  }
}
