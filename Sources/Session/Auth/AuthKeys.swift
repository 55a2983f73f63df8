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

  /// An id as a name may hold it; `nil` for any other text.
  static func flow(_ id: String) -> String? {
    let isFit = id.utf8.allSatisfy { byte in
      let scalar = Unicode.Scalar(byte)
      return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || scalar == "-" || scalar == "_"
    }
    return isFit && (8...64).contains(id.utf8.count) ? id : nil
  }

  func verifier(ofFlow id: String) -> String { "\(session)-flow-\(id)-code-verifier" }
}
