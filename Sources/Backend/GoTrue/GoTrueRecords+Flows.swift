package import JSON

extension GoTrueState {
  /// A sign-in that leaves the app and comes back with a code.
  package struct Flow: StoredRecord {
    package enum Start: String, CaseIterable, StoredValue {
      case oauth, signup, recovery, magiclink, emailChange = "email_change"
    }

    /// What a provider gets as `state`.
    package var id = ""
    package var start = Start.oauth
    var provider: String?
    var redirect: String?
    /// `nil` for the implicit flow, which ends with tokens in the fragment.
    var challenge: String?
    var challengeIsPlain = false
    var createdMs: Int64 = 0
    /// Magic links count from the click.
    var issuedMs: Int64?
    /// Known as soon as the person is.
    package var userID: String?
    /// What the app exchanges; made at the start, of use once ``userID`` is known.
    var code = ""

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("start", &start)
      try members("provider", &provider)
      try members("redirect", &redirect)
      try members("challenge", &challenge)
      try members("challengeIsPlain", &challengeIsPlain)
      try members("createdMs", &createdMs)
      try members("issuedMs", &issuedMs)
      try members("userID", &userID)
      try members("code", &code)
    }
  }

  /// What the made-up provider said yes to.
  package struct ProviderGrant: StoredRecord {
    var code = ""
    var email = ""

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("code", &code)
      try members("email", &email)
    }
  }

  package struct Factor: StoredRecord {
    package var id = ""
    package var userID = ""
    package var name = ""
    /// Base32.
    package var secret = ""
    package var isVerified = false
    package var createdMs: Int64 = 0
    var updatedMs: Int64 = 0
    var lastChallengedMs: Int64?

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("userID", &userID)
      try members("name", &name)
      try members("secret", &secret)
      try members("isVerified", &isVerified)
      try members("createdMs", &createdMs)
      try members("updatedMs", &updatedMs)
      try members("lastChallengedMs", &lastChallengedMs)
    }
  }

  package struct Challenge: StoredRecord {
    package var id = ""
    package var factorID = ""
    var address = ""
    var createdMs: Int64 = 0
    var isUsed = false

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("factorID", &factorID)
      try members("address", &address)
      try members("createdMs", &createdMs)
      try members("isUsed", &isUsed)
    }
  }
}
