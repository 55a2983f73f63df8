package import JSON

extension ServerFault {
  /// The names of the effects, as files and requests write them.
  package enum Kind: String, CaseIterable, Sendable {
    case loseRequest, refuse
    case loseReply, hang, delay, replace
    case htmlBody, emptyBody, truncatedBody, noVersionHeader, numberCode, textCode, expiredTokens
    case skew, revokeSessions, rotateElsewhere, addFactor, removeFactors, deleteUser, banUser
    case changeAddress
  }

  /// Reads `{ fault: "loseReply", method: "POST", path: "/token", at: 2, times: 1 }`.
  ///
  /// `refuse` and `replace` take a `status`, `refuse` a `code`, `delay` and `skew` a number of
  /// `ms`, `rotateElsewhere` a number of `rotations`, `changeAddress` an `address`.
  package init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a fault")
    let kind = try reader.required("fault").word("fault", as: Kind.self)
    effect = try Effect(kind, &reader)
    method = try reader.optional("method").map { node throws(JSONError) in try node.text() }
    let place = try reader.required("path")
    path = try place.text()
    guard path.hasPrefix("/") else { throw place.error("no path, such as /token") }
    occurrence = try Self.count("at", &reader)
    times = try Self.count("times", &reader)
    try reader.finish()
  }

  /// A count from 1; 1 when it is left out.
  private static func count(
    _ key: String, _ reader: inout ObjectReader
  ) throws(JSONError) -> Int {
    guard let node = reader.optional(key) else { return 1 }
    return try node.integer(in: 1...1_000_000)
  }
}

extension ServerFault.Effect {
  fileprivate init(
    _ kind: ServerFault.Kind, _ reader: inout ObjectReader
  ) throws(JSONError) {
    switch kind {
    case .refuse:
      let code = try reader.optional("code").map { node throws(JSONError) in
        try node.word("code", as: ErrorCode.self)
      }
      self = .refuse(status: try Self.status(&reader), code: code)
    case .delay: self = .delay(ms: try reader.required("ms").integer())
    case .replace: self = .replace(status: try Self.status(&reader))
    case .skew: self = .skew(ms: try reader.required("ms").integer())
    case .rotateElsewhere:
      let rotations = try reader.required("rotations").integer(in: 1...100)
      self = .elsewhere(.rotate(times: rotations))
    case .changeAddress: self = .changeAddress(try reader.required("address").text())
    case .loseRequest: self = .loseRequest
    case .loseReply: self = .loseReply
    case .hang: self = .hang
    case .htmlBody: self = .htmlBody
    case .emptyBody: self = .emptyBody
    case .truncatedBody: self = .truncatedBody
    case .noVersionHeader: self = .noVersionHeader
    case .numberCode: self = .numberCode
    case .textCode: self = .textCode
    case .expiredTokens: self = .expiredTokens
    case .revokeSessions: self = .elsewhere(.revokeSessions)
    case .addFactor: self = .elsewhere(.addFactor)
    case .removeFactors: self = .elsewhere(.removeFactors)
    case .deleteUser: self = .elsewhere(.deleteUser)
    case .banUser: self = .elsewhere(.banUser)
    }
  }

  private static func status(_ reader: inout ObjectReader) throws(JSONError) -> Int {
    try reader.required("status").integer(in: 400...599)
  }

  package var kind: ServerFault.Kind {
    switch self {
    case .loseRequest: .loseRequest
    case .refuse: .refuse
    case .loseReply: .loseReply
    case .hang: .hang
    case .delay: .delay
    case .replace: .replace
    case .htmlBody: .htmlBody
    case .emptyBody: .emptyBody
    case .truncatedBody: .truncatedBody
    case .noVersionHeader: .noVersionHeader
    case .numberCode: .numberCode
    case .textCode: .textCode
    case .expiredTokens: .expiredTokens
    case .skew: .skew
    case .elsewhere(.revokeSessions): .revokeSessions
    case .elsewhere(.rotate): .rotateElsewhere
    case .elsewhere(.addFactor): .addFactor
    case .elsewhere(.removeFactors): .removeFactors
    case .elsewhere(.deleteUser): .deleteUser
    case .elsewhere(.banUser): .banUser
    case .changeAddress: .changeAddress
    }
  }
}
