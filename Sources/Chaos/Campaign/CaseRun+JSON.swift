import Device
package import JSON
import Phone
import Ports

// How runs pass from one process to another, and from one machine to another. What was expected is
// not among it: whoever reads knows the scenario and judges again.

extension FaultTally {
  package var json: JSONValue {
    [
      "armed": .integer(armed), "fired": .integer(fired),
      "neverFired": .list(neverFired.map(JSONValue.text)),
    ]
  }

  init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("faults", keys: ["armed", "fired", "neverFired"])
    self.init()
    armed = try reader.required("armed").count()
    fired = try reader.required("fired").count()
    neverFired = try reader.required("neverFired").texts()
  }
}

extension CaseRun {
  /// Its operations are told only of what was not expected.
  ///
  /// - Parameter isTold: Whether its story goes along.
  /// - Returns: What ``init(_:scenario:phone:store:)`` reads.
  func json(isTold: Bool) -> JSONValue {
    var fields = JSONObject()
    fields["case"] = .text(name)
    fields["parts"] = .list(parts.map(JSONValue.text))
    fields["tier"] = .text(tier.rawValue)
    fields["client"] = .text(client)
    fields["control"] = .bool(isControl)
    fields["judgements"] = .list(judgements.map(\.json))
    fields["faults"] = faults.json
    fields["images"] = .list(images.map { .text($0.description) })
    fields["kinds"] = .list(faultKinds.map { .text($0.rawValue) })
    if isTold { fields["story"] = StoryRow.json(of: story) }
    if outcome != .asExpected { fields["operations"] = .list(operations.map(\.json)) }
    return .object(fields)
  }

  init(_ node: JSONNode, scenario: String, phone: PhoneKind, store: String) throws(JSONError) {
    var reader = try node.object("a case")
    self.scenario = scenario
    self.phone = phone
    self.store = store
    name = try reader.required("case").text()
    parts = try reader.required("parts").texts()
    tier = try reader.required("tier").word("tier")
    client = try reader.required("client").text()
    isControl = try reader.required("control").bool()
    judgements = try reader.required("judgements").list(of: Judgement.init)
    faults = try FaultTally(try reader.required("faults"))
    images = try reader.required("images").list { node throws(JSONError) in
      guard let digest = ImageDigest(try node.text()) else { throw node.error("no image's hash") }
      return digest
    }
    faultKinds = try reader.required("kinds").list { node throws(JSONError) in
      try node.word("fault")
    }
    story = try reader.optional("story")?.list(of: StoryRow.init) ?? []
    operations = try reader.optional("operations")?.list(of: StoryOperation.init) ?? []
    trace = nil
    outcome = .asExpected
  }
}

extension Finding {
  var json: JSONValue {
    [
      "name": .text(replay.name), "text": .text(replay.text),
      "decisions": .integer(foundChoiceCount), "run": run.json(isTold: true),
    ]
  }

  init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a finding", keys: ["name", "text", "decisions", "run"])
    let replay = try ReplayReader.read(
      Array(try reader.required("text").text().utf8), name: try reader.required("name").text())
    var run = try CaseRun(
      try reader.required("run"), scenario: replay.name, phone: replay.history.phone,
      store: replay.history.store)
    run.judge(by: .noFailure)
    self.init(
      replay, foundChoiceCount: try reader.required("decisions").count(),
      run: run)
  }
}

extension Judgement {
  fileprivate var json: JSONValue {
    [
      "verdict": .text(verdict.rawValue), "behind": .integer(generationsBehind),
      "because": .text(because),
    ]
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a verdict")
    self.init(
      try reader.required("verdict").word("verdict"),
      behind: try reader.required("behind").count(),
      try reader.required("because").text())
  }
}

extension StoryRow {
  /// Digests stay inside the process: what leaves it is the number of the value, by first appearance.
  fileprivate static func json(of story: [StoryRow]) -> JSONValue {
    var keys: [String] = []
    var blobs: [String] = []
    return .list(
      story.map { row in
        var fields = JSONObject()
        fields["text"] = .text(row.text)
        fields["key"] = row.key.json(among: &keys)
        fields["blob"] = row.blob.json(among: &blobs)
        fields["isFault"] = .bool(row.isFault)
        fields["isFailure"] = .bool(row.isFailure)
        if row.isRemark { fields["isRemark"] = true }
        fields["sees"] = row.sees.map(JSONValue.text) ?? .null
        return .object(fields)
      })
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a row")
    text = try reader.required("text").text()
    key = try StoryHalf(reader.required("key"))
    blob = try StoryHalf(reader.required("blob"))
    isFault = try reader.required("isFault").bool()
    isFailure = try reader.required("isFailure").bool()
    isRemark = try reader.optional("isRemark")?.bool() ?? false
    sees = try reader.required("sees").textOrNull()
  }
}

extension StoryHalf {
  fileprivate func json(among seen: inout [String]) -> JSONValue {
    var fields = JSONObject()
    if let digest {
      if !seen.contains(digest) { seen.append(digest) }
      fields["value"] = .text(String((seen.firstIndex(of: digest) ?? 0) + 1))
    }
    fields["isDurable"] = .bool(isDurable)
    fields["peek"] = peek?.json
    return .object(fields)
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a half")
    digest = try reader.optional("value")?.text()
    isDurable = try reader.required("isDurable").bool()
    peek = try reader.optional("peek").map(Peek.init)
  }
}

extension StoryHalf.Peek {
  fileprivate var json: JSONValue { ["bytes": .integer(bytes), "mark": .text(mark)] }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a look at a value")
    bytes = try reader.required("bytes").count()
    mark = try reader.required("mark").text()
  }
}

extension StoryOperation {
  fileprivate var json: JSONValue {
    [
      "row": .integer(row), "words": .text(words), "half": half.map { .text($0.rawValue) } ?? .null,
      "keyIsDurable": .bool(keyIsDurable), "blobIsDurable": .bool(blobIsDurable),
      "point": point.map { .text($0.rawValue) } ?? .null,
      "fault": fault.map(JSONValue.text) ?? .null,
    ]
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("an operation")
    row = try reader.required("row").count()
    words = try reader.required("words").text()
    half = try reader.required("half").textOrNull().flatMap(Half.init)
    keyIsDurable = try reader.required("keyIsDurable").bool()
    blobIsDurable = try reader.required("blobIsDurable").bool()
    point = try reader.required("point").textOrNull().flatMap(LogicalPoint.init)
    fault = try reader.required("fault").textOrNull()
  }
}

extension JSONNode {
  func texts() throws(JSONError) -> [String] {
    try list { node throws(JSONError) in try node.text() }
  }

  fileprivate func textOrNull() throws(JSONError) -> String? {
    if case .null = content { return nil }
    return try text()
  }
}

extension ScenarioRun {
  /// The story is told of what was not expected, and of the first known loss of each kind.
  var json: JSONValue {
    var losses: Set<Verdict> = []
    let runs = all.map { run in
      let isLoss = run.verdicts.first(where: \.isFailure).map { losses.insert($0).inserted }
      return run.json(isTold: run.outcome != .asExpected || isLoss == true)
    }
    return ["runs": .list(runs), "partial": .bool(isPartial)]
  }

  /// Reads the runs of a scenario.
  ///
  /// - Parameters:
  ///   - node: What ``json`` wrote.
  ///   - scenario: What was run.
  ///   - phone: On which phone.
  ///   - store: With which store.
  ///   - expected: What a case must have shown; `nil` for a case that the scenario does not have.
  /// - Throws: `JSONError` at the place of what cannot be read.
  init(
    _ node: JSONNode, of scenario: Scenario, phone: PhoneKind, store: String,
    expected: (CaseRun) -> Scenario.Expected?
  ) throws(JSONError) {
    self.init(scenario, phone: phone, store: store)
    var reader = try node.object("a scenario's runs")
    isPartial = try reader.required("partial").bool()
    for node in try reader.required("runs").list() {
      var run = try CaseRun(node, scenario: scenario.name, phone: phone, store: store)
      guard let right = run.isControl ? .allKeep : expected(run) else {
        throw node.error("'\(run.name)' is no case of \(scenario.name)")
      }
      run.judge(by: right)
      if run.isControl { controls.append(run) } else { cases.append(run) }
    }
  }
}
