package import JSON

/// All that a server remembers. A value: a copy is a backup, and `stored` a document of it.
///
/// Holds what a real server's database holds, refresh tokens and factor secrets among it, but
/// no password and no code. Treat the document as a secret.
package struct GoTrueState: StoredRecord {
  private var format: Int64 = 1
  /// Signs access tokens and counted refresh tokens, 32 bytes in hexadecimal.
  package var signingKey = ""
  /// The server's clock minus the clock that it was given.
  package var skewMs: Int64 = 0
  package var users: [User] = []
  package var identities: [Identity] = []
  package var sessions: [Session] = []
  /// In the order in which they were made.
  package var refreshTokens: [RefreshToken] = []
  package var codes: [OneTimeCode] = []
  package var flows: [Flow] = []
  package var providerGrants: [ProviderGrant] = []
  package var factors: [Factor] = []
  package var challenges: [Challenge] = []
  package var invitations: [Invitation] = []
  package var buckets: [RateBucket] = []
  package var outbox: [Mail] = []

  package init() {}

  package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
    try members("format", &format)
    try members("signingKey", &signingKey)
    try members("skewMs", &skewMs)
    try members("users", &users)
    try members("identities", &identities)
    try members("sessions", &sessions)
    try members("refreshTokens", &refreshTokens)
    try members("codes", &codes)
    try members("flows", &flows)
    try members("providerGrants", &providerGrants)
    try members("factors", &factors)
    try members("challenges", &challenges)
    try members("invitations", &invitations)
    try members("buckets", &buckets)
    try members("outbox", &outbox)
  }
}

extension GoTrueState {
  package var description: String {
    "\(users.count) users, \(sessions.count) sessions, \(outbox.count) mails"
  }
}

extension GoTrueState {
  package func user(id: String) -> User? { users.first { $0.id == id } }
  package func user(email: String) -> User? { users.first { $0.email == email } }
  package func session(id: String) -> Session? { sessions.first { $0.id == id } }
  package func factors(of user: String) -> [Factor] { factors.filter { $0.userID == user } }

  func hasVerifiedFactor(_ user: String) -> Bool {
    factors.contains { $0.userID == user && $0.isVerified }
  }

  mutating func update(_ user: User) { Self.replace(user, in: &users, \.id) }
  mutating func update(_ session: Session) { Self.replace(session, in: &sessions, \.id) }
  mutating func update(_ factor: Factor) { Self.replace(factor, in: &factors, \.id) }
  mutating func update(_ challenge: Challenge) { Self.replace(challenge, in: &challenges, \.id) }
  mutating func update(_ flow: Flow) { Self.replace(flow, in: &flows, \.id) }

  /// Ends sessions, with their refresh tokens.
  mutating func endSessions(where isMeant: (Session) -> Bool) {
    let ended = Set(sessions.filter(isMeant).map(\.id))
    sessions.removeAll { ended.contains($0.id) }
    refreshTokens.removeAll { ended.contains($0.sessionID) }
  }

  mutating func removeFactors(where isMeant: (Factor) -> Bool) {
    let removed = Set(factors.filter(isMeant).map(\.id))
    factors.removeAll { removed.contains($0.id) }
    challenges.removeAll { removed.contains($0.factorID) }
    for session in sessions where session.factorID.map(removed.contains) ?? false {
      var session = session
      session.factorID = nil
      session.methods.removeAll { $0.name == .totp }
      update(session)
    }
  }

  mutating func removeUser(_ id: String) {
    endSessions { $0.userID == id }
    removeFactors { $0.userID == id }
    identities.removeAll { $0.userID == id }
    codes.removeAll { $0.userID == id }
    flows.removeAll { $0.userID == id }
    users.removeAll { $0.id == id }
  }

  /// A row that is not there any more stays away.
  private static func replace<Row>(_ row: Row, in rows: inout [Row], _ id: KeyPath<Row, String>) {
    guard let index = rows.firstIndex(where: { $0[keyPath: id] == row[keyPath: id] }) else {
      return
    }
    rows[index] = row
  }
}
