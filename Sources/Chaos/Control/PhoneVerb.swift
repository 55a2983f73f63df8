package import JSON

/// What a mounted phone can be told, as JSON over its control socket.
package enum PhoneVerb: Equatable, Sendable {
  case status
  case faults
  case inject(InjectOrder)
  case disarm(Int)
  /// Lets held operations go on.
  case release
  /// Disarms everything; with `device`, everything stored is as it was at the mount.
  case reset(device: Bool)
  case snapshot(name: String, half: Scenario.HalfChoice)
  case restore(name: String, half: Scenario.HalfChoice, device: String)
  /// A process joins the phone: faults may hit it. Its pidfd comes with the message.
  case register(name: String)
  /// The command line that starts the reference app on this phone.
  case app([String])
  /// The windows of what happened after an operation.
  case lint(since: Int)
  /// Everything that a live view shows, with what an app with this store would find at its start; `last`
  /// is the store that the last app used.
  case look(store: String)
  /// Everything stored is as it was before the change with this number, which must be the last one.
  case undo(change: Int)
  case unmount

  /// A fault in the words of the command line.
  package struct InjectOrder: Equatable, Sendable {
    package var text: String
    package var at: String?
    package var times: Int
    package var parameters: [String: String]

    package init(
      _ text: String, at: String? = nil, times: Int = 1, parameters: [String: String] = [:]
    ) {
      self.text = text
      self.at = at
      self.times = times
      self.parameters = parameters
    }
  }

  /// The message.
  package var text: String {
    var fields = JSONObject()
    switch self {
    case .status: fields["verb"] = "status"
    case .faults: fields["verb"] = "faults"
    case .inject(let order):
      fields["verb"] = "inject"
      fields["fault"] = .text(order.text)
      fields["at"] = order.at.map { .text($0) }
      fields["times"] = .integer(order.times)
      fields["values"] = .object(
        JSONObject(order.parameters.map { .init(key: $0.key, value: .text($0.value)) }))
    case .disarm(let id):
      fields["verb"] = "disarm"
      fields["id"] = .integer(id)
    case .release: fields["verb"] = "release"
    case .reset(let device):
      fields["verb"] = "reset"
      fields["device"] = .bool(device)
    case .snapshot(let name, let half):
      fields["verb"] = "snapshot"
      fields["name"] = .text(name)
      fields["half"] = .text(half.rawValue)
    case .restore(let name, let half, let device):
      fields["verb"] = "restore"
      fields["name"] = .text(name)
      fields["half"] = .text(half.rawValue)
      fields["device"] = .text(device)
    case .register(let name):
      fields["verb"] = "register"
      fields["name"] = .text(name)
    case .app(let words):
      fields["verb"] = "app"
      fields["words"] = .list(words.map(JSONValue.text))
    case .lint(let operation):
      fields["verb"] = "lint"
      fields["since"] = .integer(operation)
    case .look(let store):
      fields["verb"] = "look"
      fields["store"] = .text(store)
    case .undo(let change):
      fields["verb"] = "undo"
      fields["change"] = .integer(change)
    case .unmount: fields["verb"] = "unmount"
    }
    return JSONWriter.text(of: .object(fields))
  }

  private static let words = [
    "status", "faults", "inject", "disarm", "release", "reset", "snapshot", "restore", "register",
    "app", "lint", "look", "undo", "unmount",
  ]

  /// Reads a message.
  ///
  /// - Throws: `JSONError` with the place and the nearest valid word.
  package init(_ message: String) throws(JSONError) {
    var object = try JSONReader.read(message).object("a command")
    switch try object.required("verb").word("verb", of: Self.words) {
    case "status": self = .status
    case "faults": self = .faults
    case "inject":
      var order = InjectOrder(try object.required("fault").text())
      order.at = try object.optional("at")?.text()
      order.times = try object.optional("times")?.integer(in: 1...1_000_000) ?? 1
      for member in try object.optional("values")?.members() ?? [] {
        order.parameters[member.key] = try member.node.text()
      }
      self = .inject(order)
    case "disarm": self = .disarm(try object.required("id").integer(in: 1...Int.max))
    case "release": self = .release
    case "reset": self = .reset(device: try object.optional("device")?.bool() ?? false)
    case "snapshot":
      self = .snapshot(
        name: try object.required("name").text(),
        half: try object.optional("half")?.word("half") ?? .both)
    case "restore":
      self = .restore(
        name: try object.required("name").text(),
        half: try object.optional("half")?.word("half") ?? .both,
        device: try object.optional("device")?.word("device", of: ["same", "new"]) ?? "same")
    case "register": self = .register(name: try object.required("name").text())
    case "app":
      self = .app(
        try object.required("words").list { word throws(JSONError) in try word.text() })
    case "lint": self = .lint(since: try object.optional("since")?.integer(in: 0...Int.max) ?? 0)
    case "look": self = .look(store: try object.required("store").text())
    case "undo":
      self = .undo(change: try object.required("change").integer(in: 1...Int.max))
    default: self = .unmount
    }
    try object.finish()
  }
}

/// The answer of a mounted phone: a result, or a refusal in one line with what was expected.
package enum PhoneAnswer: Equatable, Sendable {
  case result(JSONValue)
  /// The phone cannot do it now.
  case refused(String)
  /// The words were wrong.
  case misunderstood(String)

  package var text: String {
    var fields = JSONObject()
    switch self {
    case .result(let value): fields["result"] = value
    case .refused(let reason): fields["refused"] = .text(reason)
    case .misunderstood(let reason): fields["misunderstood"] = .text(reason)
    }
    return JSONWriter.text(of: .object(fields))
  }

  package init(_ text: String) {
    guard let value = try? JSONReader.read(text).value else {
      self = .refused("the phone gave an answer that is not one")
      return
    }
    if let result = value["result"] {
      self = .result(result)
    } else if let reason = value["misunderstood"]?.text {
      self = .misunderstood(reason)
    } else {
      self = .refused(value["refused"]?.text ?? "the phone gave no reason")
    }
  }
}
