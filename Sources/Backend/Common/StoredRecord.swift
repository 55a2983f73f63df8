package import JSON

/// What a state's document holds: a text, a number, a list, or a record of them.
package protocol StoredValue: Equatable, Sendable {
  var stored: JSONValue { get }
  init(stored node: JSONNode) throws(JSONError)
}

/// A row of a server's state: its members are named once, for writing and for reading.
///
/// Most rows hold a secret, so a row describes itself by its type alone.
package protocol StoredRecord: StoredValue, CustomStringConvertible {
  init()
  /// Calls `members` once for each member, always in the same way.
  mutating func visit(_ members: inout StoredMembers) throws(JSONError)
}

/// Goes over the members of a record: writes them into an object, or reads them out of one.
package struct StoredMembers {
  private enum Mode {
    case writing(JSONObject)
    case reading(ObjectReader)
  }

  private var mode: Mode

  fileprivate init() { mode = .writing(JSONObject()) }

  fileprivate init(_ node: JSONNode, of record: String) throws(JSONError) {
    mode = .reading(try node.object(record))
  }

  package mutating func callAsFunction<Value: StoredValue>(
    _ key: String, _ value: inout Value
  ) throws(JSONError) {
    switch mode {
    case .writing(var object):
      object[key] = value.stored
      mode = .writing(object)
    case .reading(var reader):
      value = try Value(stored: reader.required(key))
      mode = .reading(reader)
    }
  }

  /// A member that is left out when there is none.
  package mutating func callAsFunction<Value: StoredValue>(
    _ key: String, _ value: inout Value?
  ) throws(JSONError) {
    switch mode {
    case .writing(var object):
      object[key] = value?.stored
      mode = .writing(object)
    case .reading(var reader):
      if let node = reader.optional(key) { value = try Value(stored: node) }
      mode = .reading(reader)
    }
  }

  fileprivate var object: JSONObject {
    switch mode {
    case .writing(let object): object
    case .reading: JSONObject()
    }
  }

  fileprivate func finish() throws(JSONError) {
    switch mode {
    case .writing: break
    case .reading(let reader): try reader.finish()
    }
  }
}

extension StoredRecord {
  package var description: String { "a \(Self.self)" }

  package var stored: JSONValue {
    var copy = self
    var members = StoredMembers()
    do {
      try copy.visit(&members)
    } catch {
      preconditionFailure("writing a record reads nothing")
    }
    return .object(members.object)
  }

  package init(stored node: JSONNode) throws(JSONError) {
    self.init()
    var members = try StoredMembers(node, of: description)
    try visit(&members)
    try members.finish()
  }
}

extension String: StoredValue {
  package var stored: JSONValue { .text(self) }
  package init(stored node: JSONNode) throws(JSONError) { self = try node.text() }
}

extension Int64: StoredValue {
  package var stored: JSONValue { .integer(self) }
  package init(stored node: JSONNode) throws(JSONError) { self = try node.integer() }
}

extension Bool: StoredValue {
  package var stored: JSONValue { .bool(self) }
  package init(stored node: JSONNode) throws(JSONError) { self = try node.bool() }
}

extension JSONObject: StoredValue {
  package var stored: JSONValue { .object(self) }

  package init(stored node: JSONNode) throws(JSONError) {
    self.init(try node.members().map { Member(key: $0.key, value: $0.node.value) })
  }
}

extension Array: StoredValue where Element: StoredValue {
  package var stored: JSONValue { .list(map(\.stored)) }

  package init(stored node: JSONNode) throws(JSONError) {
    self = try node.list { node throws(JSONError) in try Element(stored: node) }
  }
}

extension StoredValue where Self: RawRepresentable, RawValue == String, Self: CaseIterable {
  package var stored: JSONValue { .text(rawValue) }
  package init(stored node: JSONNode) throws(JSONError) { self = try node.word("word") }
}
