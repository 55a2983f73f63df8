package import JSON
import Phone
import Ports
import Session
import Zoo

/// Reads a scenario file strictly: an unknown key, word or type is an error with its place.
package struct ScenarioReader {
  static let stores = StoreKind.all.map(\.name)

  let name: String

  /// - Parameters:
  ///   - text: The JSON5 text of the file.
  ///   - name: The file's name without its ending.
  /// - Returns: The scenario.
  /// - Throws: `JSONError` with the place and the nearest valid word.
  package static func read(_ text: [UInt8], name: String) throws(JSONError) -> Scenario {
    let node = try JSONReader.read(text, .json5)
    return try ScenarioReader(name: name).scenario(node)
  }

  private static let lineMax = 500

  /// A text that reports show as it is.
  private static func line(_ node: JSONNode) throws(JSONError) -> String {
    let text = try node.text()
    // Joiners belong to some scripts; the other format characters turn a line around or hide in it.
    let joiners: [Unicode.Scalar] = ["\u{200C}", "\u{200D}"]
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      joiners.contains(scalar)
        || ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
          scalar.properties.generalCategory)
    }
    guard isPlain, text.count <= lineMax else {
      throw node.error(
        "it is shown as one line", allowed: "up to \(lineMax) characters, none of them for control")
    }
    return text
  }

  private func scenario(_ node: JSONNode) throws(JSONError) -> Scenario {
    var object = try node.object(
      "a scenario",
      keys: [
        "schema", "title", "phones", "seed", "story", "stores", "settings", "vary", "steps",
        "expect",
      ])
    let schema = try object.required("schema")
    guard try schema.text() == Scenario.schema else {
      throw schema.error("this lab reads scenarios of another format", allowed: Scenario.schema)
    }
    let title = try Self.line(object.required("title"))
    let phones = try object.required("phones").list { phone throws(JSONError) in
      try phone.word("phone", as: PhoneKind.self)
    }
    let seed = try object.optional("seed")?.unsigned()
    let story = try Self.line(object.required("story"))
    let stores =
      try object.optional("stores")?.list { store throws(JSONError) in try Self.store(store) } ?? []
    let settings = try object.optional("settings").map(self.settings) ?? ScenarioSettings()
    let variations = try object.optional("vary").map(self.variations) ?? []
    let stepsNode = try object.required("steps")
    let steps = try self.steps(stepsNode, variations)
    guard steps.contains(where: \.signsIn) else {
      throw stepsNode.error("no step signs in; begin with { do: \"sign-in\" }")
    }
    let expectations = try self.expectations(
      try object.required("expect"), variations, phones)
    try object.finish()
    let check = ScenarioCheck(
      phones: phones, stores: stores, settings: settings, variations: variations, steps: steps,
      expectations: expectations)
    try check.check(node)
    return Scenario(
      name: name, title: title, phones: phones, seed: seed, story: story, stores: stores,
      settings: settings, variations: variations, steps: steps, expectations: expectations)
  }

  /// A twin of the zoo is taken as well, and stands in no list.
  static func store(_ node: JSONNode) throws(JSONError) -> String {
    if let kind = KnownStores.named(try node.text()) { return kind.name }
    return try node.word("store", of: stores)
  }

  // MARK: - Settings and variations

  func settings(_ node: JSONNode) throws(JSONError) -> ScenarioSettings {
    var settings = ScenarioSettings()
    for member in try node.members() {
      let key = try self.key(member)
      settings[key] = try member.node.word("value of \(key.name)", of: key.values)
    }
    return settings
  }

  /// The settings of a run on one phone; the defaults where nothing is said.
  func settings(
    _ node: JSONNode?, on phone: PhoneKind
  ) throws(JSONError) -> ScenarioSettings {
    guard let node else { return ScenarioSettings() }
    let settings = try settings(node)
    if let problem = settings.problem(on: phone) { throw node.error(problem) }
    return settings
  }

  private func key(_ member: JSONMember) throws(JSONError) -> ScenarioSettings.Key {
    guard let key = ScenarioSettings.key(member.key) else {
      let known = ScenarioSettings.keys.map(\.name)
      throw JSONError(
        .unknownKey(member.key, of: "the settings", allowed: known), at: member.keyRange)
    }
    return key
  }

  private func variations(_ node: JSONNode) throws(JSONError) -> [Scenario.Variation] {
    var variations: [Scenario.Variation] = []
    for member in try node.members() {
      variations.append(
        Scenario.Variation(name: member.key, alternatives: try alternatives(member)))
    }
    return variations
  }

  private func alternatives(_ member: JSONMember) throws(JSONError) -> [Scenario.Alternative] {
    if case .list = member.node.content {
      let key = try self.key(member)
      return try member.node.list { value throws(JSONError) in
        let word = try value.word("value of \(key.name)", of: key.values)
        return Scenario.Alternative(name: word, setting: key, fault: nil)
      }
    }
    var alternatives: [Scenario.Alternative] = []
    for alternative in try member.node.members() {
      var object = try alternative.node.object("an alternative")
      let fault = try self.fault(&object)
      guard let fault else { throw alternative.node.error("an alternative needs a 'fault'") }
      try object.finish()
      alternatives.append(
        Scenario.Alternative(name: alternative.key, setting: nil, fault: fault))
    }
    return alternatives
  }
}
