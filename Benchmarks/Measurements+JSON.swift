package import JSON

/// `lab.bench/1`: the only output of the lab that holds times of the machine's clock.
extension Measurements {
  package static let schema = "lab.bench/1"

  package var json: JSONValue {
    var fields: JSONObject = [
      "schema": .text(Self.schema), "suite": .text(suite), "seed": .number(seed),
      "digest": .text(digest), "rounds": .integer(roundCount), "smoke": .bool(isSmoke),
      "interrupted": .bool(wasInterrupted), "spread": .double(noise),
      "neighbours": .double(neighbours), "tooNoisy": .bool(isNoisy),
      "sections": .list(sections.map(\.json)),
      "rows": .list(sections.flatMap { section in section.rows.map { $0.json(section.title) } }),
      "notes": .list(notes.map(JSONValue.text)), "conclusion": .text(advice ?? ""),
      "machine": machine.json,
    ]
    fields["roundsPlanned"] = plannedRoundCount.map(JSONValue.integer)
    return .object(fields)
  }

  /// Reads what ``json`` wrote.
  ///
  /// - Throws: `JSONError` at the place of what is no such thing; the name of another schema first.
  package init(_ node: JSONNode) throws(JSONError) {
    if let schema = node["schema"], try schema.text() != Self.schema {
      throw schema.error("not what lab bench --json writes", allowed: Self.schema)
    }
    var object = try node.object("a run of lab bench")
    _ = try object.required("schema").text()
    suite = try object.required("suite").text()
    seed = try object.required("seed").unsigned()
    digest = try object.required("digest").text()
    roundCount = try object.required("rounds").integer(in: 1...Int.max)
    plannedRoundCount = try object.optional("roundsPlanned")?.integer(in: 1...Int.max)
    isSmoke = try object.required("smoke").bool()
    noise = try object.required("spread").figure()
    neighbours = try object.required("neighbours").figure()
    notes = try object.required("notes").list { node throws(JSONError) in try node.text() }
    let words = try object.required("conclusion").text()
    conclusion = words.isEmpty ? nil : words
    machine = try MachineDescription(try object.required("machine"))
    // They follow from the others.
    for key in ["interrupted", "tooNoisy"] { _ = try object.required(key).bool() }
    sections = try object.required("sections").list { node throws(JSONError) in
      try Section(node)
    }
    for row in try object.required("rows").list() {
      let (title, row) = try Row.read(row, in: sections.map(\.title))
      for index in sections.indices where sections[index].title == title {
        sections[index].rows.append(row)
      }
    }
    try object.finish()
  }
}

extension Measurements.Section {
  fileprivate var json: JSONValue {
    var fields: JSONObject = ["title": .text(title), "curves": .list(curves.map(\.json))]
    switch layout {
    case .cases: break
    case .sizes(let bound): fields["sizesOf"] = .text(bound)
    case .counts: fields["counts"] = true
    }
    return .object(fields)
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var object = try node.object("a section")
    title = try object.required("title").text()
    if let bound = try object.optional("sizesOf")?.text() { layout = .sizes(of: bound) }
    if try object.optional("counts")?.bool() == true { layout = .counts }
    curves = try object.required("curves").list { node throws(JSONError) in
      try Measurements.Curve(node)
    }
    try object.finish()
  }
}

extension Measurements.Curve {
  fileprivate var json: JSONValue {
    [
      "name": .text(name), "over": .text(over), "unit": .text(unit.rawValue),
      "exponent": .double(fit.exponent),
      "points": .list(points.map { ["size": .double($0.size), "value": .double($0.value)] }),
    ]
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var object = try node.object("a curve")
    name = try object.required("name").text()
    over = try object.required("over").text()
    unit = try object.required("unit").word("unit")
    _ = try object.required("exponent").figure()
    points = try object.required("points").list { node throws(JSONError) in
      var object = try node.object("a point")
      let point = Point(
        size: try object.required("size").figure(), value: try object.required("value").figure())
      try object.finish()
      return point
    }
    try object.finish()
  }
}

extension Measurements.Row {
  fileprivate func json(_ section: String) -> JSONValue {
    [
      "section": .text(section), "case": .text(name), "implementation": .text(implementation),
      "bytes": .integer(bytes), "unit": .text(unit.rawValue), "value": .double(value),
      "minimum": .double(minimum), "spread": .double(spread),
      "samples": .list(samples.map(JSONValue.double)),
      "ratios": .object(
        JSONObject(ratios.map { .init(key: $0.name, value: .double($0.value)) })),
      "demands": .list(demands.map(\.json)),
    ]
  }

  fileprivate static func read(
    _ node: JSONNode, in sections: [String]
  ) throws(JSONError) -> (section: String, row: Self) {
    var object = try node.object("a row")
    let section = try object.required("section").word("section", of: sections)
    var row = Self(
      name: try object.required("case").text(),
      implementation: try object.required("implementation").text(),
      value: try object.required("value").figure(),
      minimum: try object.required("minimum").figure(),
      spread: try object.required("spread").figure())
    row.bytes = try object.required("bytes").integer(in: 0...Int.max)
    row.unit = try object.required("unit").word("unit")
    row.samples = try object.required("samples").list { node throws(JSONError) in
      try node.figure()
    }
    for member in try object.required("ratios").members() {
      row.ratios.append(.init(name: member.key, value: try member.node.figure()))
    }
    row.demands = try object.required("demands").list { node throws(JSONError) in
      try Measurements.Demand(node)
    }
    try object.finish()
    return (section, row)
  }
}

extension Measurements.Demand {
  fileprivate var json: JSONValue {
    [
      "words": .text(words), "measured": .text(measured), "met": .bool(isMet),
      "margin": .double(margin),
    ]
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var object = try node.object("a demand")
    words = try object.required("words").text()
    measured = try object.required("measured").text()
    isMet = try object.required("met").bool()
    margin = try object.required("margin").figure()
    try object.finish()
  }
}

extension MachineDescription {
  fileprivate var json: JSONValue {
    [
      "cpu": .text(cpu), "features": .list(features.map(JSONValue.text)), "kernel": .text(kernel),
      "libfuse": .text(libfuse), "sqlite": .text(sqlite), "openssl": .text(openssl),
      "libevent": .text(libevent), "swift": .text(swift), "optimised": .bool(isOptimised),
      "processor": .integer(processor), "processors": .integer(processorCount),
    ]
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var object = try node.object("a machine")
    cpu = try object.required("cpu").text()
    features = try object.required("features").list { node throws(JSONError) in try node.text() }
    kernel = try object.required("kernel").text()
    libfuse = try object.required("libfuse").text()
    sqlite = try object.required("sqlite").text()
    openssl = try object.required("openssl").text()
    libevent = try object.required("libevent").text()
    swift = try object.required("swift").text()
    isOptimised = try object.required("optimised").bool()
    processor = try object.required("processor").integer(in: 0...Int.max)
    processorCount = try object.required("processors").integer(in: 1...Int.max)
    try object.finish()
  }
}

extension JSONNode {
  /// A number, or none where `null` was written for it.
  fileprivate func figure() throws(JSONError) -> Double {
    content == .null ? .nan : try double()
  }
}
