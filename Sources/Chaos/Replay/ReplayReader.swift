package import JSON
import Phone
import Ports

/// Reads a replay file strictly, as ``ScenarioReader`` reads scenarios; its decisions are steps of a
/// scenario, each with where its fault fell.
package struct ReplayReader {
  private let name: String
  /// What a step may say is the same in both kinds of file.
  private let grammar: ScenarioReader

  /// - Parameters:
  ///   - text: The JSON text of the file.
  ///   - name: The file's name without its ending.
  /// - Returns: The replay.
  /// - Throws: `JSONError` with the place and the nearest valid word.
  package static func read(_ text: [UInt8], name: String) throws(JSONError) -> Replay {
    let node = try JSONReader.read(text, .json)
    return try ReplayReader(name: name, grammar: ScenarioReader(name: name)).replay(node)
  }

  private func replay(_ node: JSONNode) throws(JSONError) -> Replay {
    // First of all, for the rest of another format says nothing.
    if let schema = node["schema"], try schema.text() != Replay.schema {
      throw schema.error(
        "this lab reads replays of another format than '\(try schema.text())'",
        allowed: Replay.schema)
    }
    var object = try node.object(
      "a replay",
      keys: [
        "schema", "foundBy", "failure", "because", "phone", "store", "settings", "seed",
        "decisions", "verdicts", "images",
      ])
    _ = try object.required("schema")
    let phone = try object.required("phone").word("phone", as: PhoneKind.self)
    let store = try self.store(object.required("store"))
    let settings = try grammar.settings(object.optional("settings"), on: phone)
    let decisions = try object.required("decisions")
    let (steps, sites) = try self.decisions(decisions)
    let verdicts = try object.required("verdicts").list { verdict throws(JSONError) in
      try verdict.word("verdict", as: Verdict.self)
    }
    let failure = try object.required("failure")
    let replay = Replay(
      name: name,
      history: Replay.History(
        phone: phone, store: store, settings: settings,
        seed: try object.required("seed").unsigned(), steps: steps),
      sites: sites, verdicts: verdicts,
      images: try object.required("images").list(of: image),
      failure: try self.failure(failure, among: verdicts),
      because: try object.required("because").text(),
      foundBy: try object.required("foundBy").text())
    try object.finish()
    return replay
  }

  /// One of the lab's, or a program of somebody else's.
  private func store(_ node: JSONNode) throws(JSONError) -> String {
    try node.text() == ForeignApp.storeName ? ForeignApp.storeName : ScenarioReader.store(node)
  }

  private func failure(
    _ node: JSONNode, among verdicts: [Verdict]
  ) throws(JSONError) -> Verdict? {
    let first = verdicts.first(where: \.isFailure)
    if case .null = node.content, first == nil { return nil }
    let failure = try node.word("failure", as: Verdict.self)
    guard failure == first else {
      throw node.error("not the first failure of 'verdicts'", allowed: first?.rawValue ?? "null")
    }
    return failure
  }

  private func image(_ node: JSONNode) throws(JSONError) -> String {
    let text = try node.text()
    guard text.utf8.count == 32, text.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
      throw node.error("no digest of an image: 32 hexadecimal digits")
    }
    return text
  }

  // MARK: - Decisions

  private func decisions(
    _ node: JSONNode
  ) throws(JSONError) -> ([Scenario.Step], [Int: FaultSite]) {
    var steps: [Scenario.Step] = []
    var sites: [Int: FaultSite] = [:]
    for decision in try node.list() {
      let step = try grammar.step(decision.without("met"), [])
      guard step.fault?.trigger?.isSpread != true else {
        throw decision.error("a replay says where a fault falls; 'each' stands for several places")
      }
      if let met = decision["met"] { sites[steps.count] = try site(met) }
      steps += Scenario.flatten([step]) { _ in nil }
    }
    guard steps.contains(where: \.signsIn) else {
      throw node.error("no step signs in; begin with { \"do\": \"sign-in\" }")
    }
    return (steps, sites)
  }

  private func site(_ node: JSONNode) throws(JSONError) -> FaultSite {
    var object = try node.object(
      "what a fault met", keys: ["operation", "time", "of", "behind", "pending", "kept"])
    var site = FaultSite()
    if let operation = object.optional("operation") {
      site.operation = FaultSite.Operation(
        words: try operation.text(),
        behind: try object.optional("behind")?.word("point", as: LogicalPoint.self),
        occurrence: try object.required("time").integer(in: 1...1_000_000),
        count: try object.required("of").integer(in: 0...1_000_000))
    }
    if let pending = object.optional("pending") {
      site.survivors = FaultSite.Kept(
        pendingCount: try pending.integer(in: 0...1_000_000),
        named: try object.optional("kept")?.list { word throws(JSONError) in try word.text() } ?? []
      )
    }
    try object.finish()
    return site
  }
}

extension JSONNode {
  /// An object without one of its members; anything else as it is.
  fileprivate func without(_ key: String) -> JSONNode {
    guard case .object(let members) = content else { return self }
    return JSONNode(.object(members.filter { $0.key != key }), at: range)
  }
}
