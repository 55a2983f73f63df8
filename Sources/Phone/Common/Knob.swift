/// A setting of a phone that has a closed list of values, by its name on command lines.
package struct Knob: Equatable, Sendable {
  package let name: String
  /// What it may be set to; the first is the default.
  package let values: [String]
  package let summary: String

  init(name: String, values: [String], summary: String) {
    self.name = name
    self.values = values
    self.summary = summary
  }

  init<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, _: Value.Type, summary: String
  ) {
    self.init(name: name, values: Value.allCases.map(\.rawValue), summary: summary)
  }
}

/// Settings that are turned by name.
package protocol KnobSettings {
  static var knobs: [Knob] { get }

  /// Turns a knob to one of its own values.
  mutating func turn(_ name: String, to value: String)
}

extension KnobSettings {
  /// Turns a knob.
  ///
  /// - Throws: ``KnobError``; nothing was changed.
  package mutating func set(_ name: String, to value: String) throws(KnobError) {
    guard let knob = Self.knobs.first(where: { $0.name == name }) else {
      throw .unknown(name: name)
    }
    guard knob.values.contains(value) else {
      throw .badValue(name: name, value: value, allowed: knob.values)
    }
    turn(name, to: value)
  }

  /// Turns all of these that the settings have; the others belong to another phone.
  mutating func set(_ chosen: [String: String]) throws(KnobError) {
    for knob in Self.knobs {
      if let value = chosen[knob.name] { try set(knob.name, to: value) }
    }
  }

  /// The value with this word; the list of the knob has been asked already.
  func word<Value: RawRepresentable<String>>(_ word: String, _ present: Value) -> Value {
    guard let value = Value(rawValue: word) else {
      preconditionFailure("'\(word)' is a value of its knob")
    }
    return value
  }
}
