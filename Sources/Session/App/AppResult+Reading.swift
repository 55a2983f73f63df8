package import JSON

extension SessionIdentity {
  /// Reads what ``json`` gives.
  package init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object(
      "a session", keys: ["user", "generation", "refreshDigest", "textDigest"])
    user = try reader.optional("user")?.text()
    generation = try reader.optional("generation")?.integer(in: Int.min...Int.max)
    refreshDigest = try reader.required("refreshDigest").text()
    textDigest = try reader.required("textDigest").text()
  }
}

extension AppResult {
  /// Reads what ``json`` gives: the line that the app's process prints.
  package init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a result of the app")
    _ = try reader.required("schema").word("schema", of: [Self.schema])
    let command = try reader.required("command").text()
    let warnings = try reader.required("warnings").list { node throws(JSONError) in
      try node.text()
    }
    let serviceCallCount = try reader.required("serviceCalls").integer(in: 0...Int.max)
    let outcome = try Self.outcome(&reader)
    try reader.finish()
    self.init(command: command, outcome: outcome, warnings: warnings)
    self.serviceCallCount = serviceCallCount
  }

  private static func outcome(_ reader: inout ObjectReader) throws(JSONError) -> Outcome {
    let word = try reader.required("outcome").word(
      "outcome",
      of: [
        "session", "absent", "garbage", "item", "saved", "removed", "signedOut", "told",
        "rejected", "overlapped", "view", "hung", "adapter",
      ])
    switch word {
    case "session": return .session(try SessionIdentity(reader.required("session")))
    case "absent": return .absent
    case "garbage":
      return .garbage(
        isJSON: try reader.required("isJSON").bool(),
        removed: try reader.required("removed").bool())
    case "item":
      return .item(
        utf8Bytes: try reader.required("bytes").integer(in: 0...Int.max),
        digest: try reader.required("digest").text())
    case "saved": return .saved(try reader.optional("session").map(SessionIdentity.init(_:)))
    case "removed": return .removed
    case "signedOut": return .signedOut
    case "told": return .told
    case "view": return .view(try ClientView(reader.required("view")))
    case "adapter": return .adapter(try reader.required("message").text())
    case "hung": return .hung(try reader.required("message").text())
    case "overlapped":
      return .overlapped(
        try reader.required("calls").list { node throws(JSONError) in
          var call = try node.object("a call")
          let outcome = try outcome(&call)
          try call.finish()
          return outcome
        })
    default:
      let code = try reader.required("code")
      return .rejected(
        code: code.content == .null ? nil : try code.text(),
        message: try reader.required("message").text())
    }
  }
}
