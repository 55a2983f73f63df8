package import JSON

/// What one command of the reference app came to.
package struct AppResult: Equatable, Sendable {
  package enum Outcome: Equatable, Sendable {
    /// The app is signed in with this session.
    case session(SessionIdentity)
    /// There is no session, or no such item.
    case absent
    /// The store gave a text that is no session; the app is signed out. The text itself is never
    /// shown. `removed` says whether the client deleted the item.
    case garbage(isJSON: Bool, removed: Bool)
    /// An item read by its name.
    case item(utf8Bytes: Int, digest: String)
    /// A session or an item was stored; the store acknowledged it.
    case saved(SessionIdentity?)
    case removed
    case signedOut
    /// The app has heard what the system says.
    case told
    /// The store, or the client, rejected.
    case rejected(code: String?, message: String)
    /// What each call of an overlap came to, the writers first.
    indirect case overlapped([Outcome])
    /// How an app with its client stands now.
    case view(ClientView)
    /// It will never end; where it waits.
    case hung(String)
    /// A program of somebody else's broke the protocol, which says nothing of its store: how, and what
    /// it printed last.
    case adapter(String)
  }

  package var command: String
  package var outcome: Outcome
  /// What the app printed on its console as warnings, in order.
  package var warnings: [String]
  /// How often the command called the phone's service.
  package var serviceCallCount = 0

  package init(command: String, outcome: Outcome, warnings: [String] = []) {
    self.command = command
    self.outcome = outcome
    self.warnings = warnings
  }

  package static let schema = "lab.app/1"

  /// One object for one line of output: `schema`, `command`, `outcome`, `serviceCalls`, `warnings`,
  /// and what the outcome carries.
  package var json: JSONValue {
    var fields = JSONObject()
    fields["schema"] = .text(Self.schema)
    fields["command"] = .text(command)
    fields["serviceCalls"] = .integer(serviceCallCount)
    fields["warnings"] = .list(warnings.map(JSONValue.text))
    outcome.write(to: &fields)
    return .object(fields)
  }
}

extension AppResult.Outcome {
  fileprivate func write(to fields: inout JSONObject) {
    switch self {
    case .session(let identity):
      fields["outcome"] = "session"
      fields["session"] = identity.json
    case .absent: fields["outcome"] = "absent"
    case .garbage(let isJSON, let removed):
      fields["outcome"] = "garbage"
      fields["isJSON"] = .bool(isJSON)
      fields["removed"] = .bool(removed)
    case .item(let bytes, let digest):
      fields["outcome"] = "item"
      fields["bytes"] = .integer(bytes)
      fields["digest"] = .text(digest)
    case .saved(let identity):
      fields["outcome"] = "saved"
      fields["session"] = identity?.json
    case .removed: fields["outcome"] = "removed"
    case .signedOut: fields["outcome"] = "signedOut"
    case .told: fields["outcome"] = "told"
    case .rejected(let code, let message):
      fields["outcome"] = "rejected"
      fields["code"] = code.map(JSONValue.text) ?? .null
      fields["message"] = .text(message)
    case .hung(let place):
      fields["outcome"] = "hung"
      fields["message"] = .text(place)
    case .adapter(let problem):
      fields["outcome"] = "adapter"
      fields["message"] = .text(problem)
    case .view(let view):
      fields["outcome"] = "view"
      fields["view"] = view.json
    case .overlapped(let outcomes):
      fields["outcome"] = "overlapped"
      fields["calls"] = .list(
        outcomes.map { outcome in
          var call = JSONObject()
          outcome.write(to: &call)
          return .object(call)
        })
    }
  }
}
