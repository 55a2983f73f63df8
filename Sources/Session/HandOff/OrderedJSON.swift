import JSON
package import Wire

/// What `JSON.parse` makes of a text: members keep their order, but whole numbers as names go first.
package enum OrderedJSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  /// Never read from a text as it is; only ``reading(_:revivingDates:)`` can make one.
  case date(Instant)
  case list([OrderedJSON])
  case object(OrderedMembers)

  /// Reads a text as `JSON.parse` does.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - revivingDates: Whether a text that is an ISO time in UTC becomes a date, as Better Auth's
  ///     `safeJSONParse` has it, in values as in any other place.
  /// - Returns: The value, or `nil` where `JSON.parse` throws.
  package static func reading(_ text: String, revivingDates: Bool = false) -> OrderedJSON? {
    do throws(JSONError) {
      let node = try JSONReader.read(text, JSONRules(.json, duplicateKeys: .lastWins))
      return OrderedJSON(node, revivingDates)
    } catch {
      return nil  // A text that cannot be parsed is an ordinary case for all callers.
    }
  }

  private init(_ node: JSONNode, _ revivingDates: Bool) {
    switch node.content {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .number(Double(value))
    case .unsigned(let value): self = .number(Double(value))
    case .double(let value): self = .number(value)
    case .text(let text):
      let instant = revivingDates && Self.isUTCTime(text) ? Instant(text) : nil
      self = instant.map(OrderedJSON.date) ?? .text(text)
    case .list(let nodes): self = .list(nodes.map { OrderedJSON($0, revivingDates) })
    case .object(let members):
      var object = OrderedMembers()
      for member in members { object[member.key] = OrderedJSON(member.node, revivingDates) }
      self = .object(object)
    }
  }

  /// `2026-09-21T14:13:20Z`, with or without a fraction.
  private static func isUTCTime(_ text: String) -> Bool {
    text.utf8.count >= 20 && text.hasSuffix("Z") && text.utf8.dropFirst(10).first == 0x54
  }

  /// What `JSON.stringify` writes.
  package var json: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): value.isFinite ? Self.text(of: value) : "null"
    case .text(let text): JSONWriter.text(of: .text(text))
    case .date(let instant): JSONWriter.text(of: .text(instant.isoText))
    case .list(let values): "[\(values.map(\.json).joined(separator: ","))]"
    case .object(let object):
      "{"
        + object.members.map { "\(JSONWriter.text(of: .text($0.name))):\($0.value.json)" }
        .joined(separator: ",") + "}"
    }
  }

  /// What a template literal makes of it.
  var interpolated: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): Self.text(of: value)
    case .text(let text): text
    case .date(let instant): instant.javaScriptText
    case .list(let values): values.map(\.interpolated).joined(separator: ",")
    case .object: "[object Object]"
    }
  }

  /// A whole number has no fraction in JavaScript.
  private static func text(of number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  /// Whether an `if` takes it for true.
  var isTruthy: Bool {
    switch self {
    case .null: false
    case .bool(let value): value
    case .number(let value): value != 0 && !value.isNaN
    case .text(let text): !text.isEmpty
    case .date, .list, .object: true
    }
  }

  /// The member of an object; `nil` for `undefined`.
  package subscript(name: String) -> OrderedJSON? {
    guard case .object(let object) = self else { return nil }
    return object[name]
  }

  package var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// What `Object.entries` gives: indexes for lists and texts, nothing for numbers.
  var entries: [(name: String, value: OrderedJSON)] {
    switch self {
    case .null, .bool, .number, .date: []
    case .text(let text):
      text.utf16.enumerated().map {
        ("\($0.offset)", .text(String(decoding: [$0.element], as: UTF16.self)))
      }
    case .list(let values): values.enumerated().map { ("\($0.offset)", $0.element) }
    case .object(let object): object.members
    }
  }
}

/// Members in the order in which JavaScript goes through them.
package struct OrderedMembers: Equatable, Sendable {
  private var names: [String] = []
  private var values: [String: OrderedJSON] = [:]

  package init() {}

  /// Setting keeps the place of a name that is there; `nil` deletes it.
  package subscript(name: String) -> OrderedJSON? {
    get { values[name] }
    set {
      if values[name] == nil { names.append(name) }
      if newValue == nil { names.removeAll { $0 == name } }
      values[name] = newValue
    }
  }

  package var members: [(name: String, value: OrderedJSON)] {
    let indexes = names.compactMap { name in UInt32(name).flatMap { "\($0)" == name ? $0 : nil } }
    let others = names.filter { name in UInt32(name).map { "\($0)" != name } ?? true }
    return (indexes.sorted().map { "\($0)" } + others).compactMap { name in
      values[name].map { (name, $0) }
    }
  }
}
