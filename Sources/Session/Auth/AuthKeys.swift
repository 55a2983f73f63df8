/// The names under which a client stores things. All of them pass the key check of a secure store.
struct AuthKeys {
  /// How many flows may be under way; starting one more ends the oldest.
  static let flowsMax = 5

  let session: String

  var user: String { "\(session)-user" }
  /// The verifier of the flow that was started last.
  var verifier: String { "\(session)-code-verifier" }
  /// The ids of the flows that are under way, oldest first.
  var flows: String { "\(session)-flows-code-verifier" }

  func verifier(ofFlow id: String) -> String { "\(session)-flow-\(id)-code-verifier" }
}
