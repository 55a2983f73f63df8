package import JSON

/// All that the server remembers. A value, so that a lab can keep, compare and restore it.
///
/// Its document holds secrets: it is for a file of the lab, never for a log.
package struct BetterAuthState: StoredRecord {
  /// Signs cookies.
  package var secret = ""
  /// The server's clock minus the clock that it was given.
  package var skewMs: Int64 = 0
  package var users: [User] = []
  package var sessions: [Session] = []
  /// Every mail that was sent, in order: what a person would read.
  package var outbox: [Mail] = []
  var mailCodes: [MailCode] = []
  var handOffCodes: [HandOffCode] = []
  var socialStates: [SocialState] = []
  var passkeys: [Passkey] = []
  var passkeyChallenges: [String] = []
  var counters: [RequestCounter] = []

  package init() {}

  package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
    try members("secret", &secret)
    try members("skewMs", &skewMs)
    try members("users", &users)
    try members("sessions", &sessions)
    try members("outbox", &outbox)
    try members("mailCodes", &mailCodes)
    try members("handOffCodes", &handOffCodes)
    try members("socialStates", &socialStates)
    try members("passkeys", &passkeys)
    try members("passkeyChallenges", &passkeyChallenges)
    try members("counters", &counters)
  }
}

extension BetterAuthState {
  mutating func removeUser(_ email: String) {
    let ids = users.filter { $0.email == email }.map(\.id)
    users.removeAll { ids.contains($0.id) }
    sessions.removeAll { ids.contains($0.userID) }
    passkeys.removeAll { ids.contains($0.userID) }
    handOffCodes.removeAll { ids.contains($0.userID) }
  }
}

extension BetterAuthState {
  package struct User: StoredRecord {
    package var id = ""
    package var email = ""
    package var createdMs: Int64 = 0

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("email", &email)
      try members("createdMs", &createdMs)
    }
  }

  package struct Session: StoredRecord {
    package var id = ""
    package var token = ""
    package var userID = ""
    package var createdMs: Int64 = 0
    package var updatedMs: Int64 = 0
    package var expiresMs: Int64 = 0

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("token", &token)
      try members("userID", &userID)
      try members("createdMs", &createdMs)
      try members("updatedMs", &updatedMs)
      try members("expiresMs", &expiresMs)
    }
  }

  package struct Mail: StoredRecord {
    package var to = ""
    package var code = ""
    package var sentMs: Int64 = 0

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("to", &to)
      try members("code", &code)
      try members("sentMs", &sentMs)
    }
  }

  /// A code that waits to be typed in.
  struct MailCode: StoredRecord {
    var email = ""
    var code = ""
    var expiresMs: Int64 = 0
    var attempts: Int64 = 0

    mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("email", &email)
      try members("code", &code)
      try members("expiresMs", &expiresMs)
      try members("attempts", &attempts)
    }
  }

  /// A code that an address brings into the app.
  struct HandOffCode: StoredRecord {
    var code = ""
    var challenge = ""
    var userID = ""
    var expiresMs: Int64 = 0

    mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("code", &code)
      try members("challenge", &challenge)
      try members("userID", &userID)
      try members("expiresMs", &expiresMs)
    }
  }

  /// A sign-in at a provider that has begun.
  struct SocialState: StoredRecord {
    var state = ""
    var provider = ""
    var callbackURL = ""
    var expiresMs: Int64 = 0

    mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("state", &state)
      try members("provider", &provider)
      try members("callbackURL", &callbackURL)
      try members("expiresMs", &expiresMs)
    }
  }

  /// A key that a user has set up in the web app.
  struct Passkey: StoredRecord {
    var id = ""
    var userID = ""

    mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("userID", &userID)
    }
  }

  /// How often one address asked for one path.
  struct RequestCounter: StoredRecord {
    var key = ""
    var count: Int64 = 0
    var lastMs: Int64 = 0

    mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("key", &key)
      try members("count", &count)
      try members("lastMs", &lastMs)
    }
  }
}
