package import JSON

// The tables of a server. Moments are milliseconds since 1970 by the server's clock.

extension GoTrueState {
  package struct User: StoredRecord {
    package var id = ""
    package var email = ""
    /// `nil` for an account without a password.
    var password: PasswordDigest?
    package var metadata = JSONObject()
    package var createdMs: Int64 = 0
    var updatedMs: Int64 = 0
    package var confirmedMs: Int64?
    package var lastSignInMs: Int64?
    /// The address that a change is under way to.
    package var newEmail: String?
    /// Until then the account is shut.
    package var bannedUntilMs: Int64?
    var confirmationSentMs: Int64?
    var recoverySentMs: Int64?
    var emailChangeSentMs: Int64?
    var reauthenticationSentMs: Int64?

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("email", &email)
      try members("password", &password)
      try members("metadata", &metadata)
      try members("createdMs", &createdMs)
      try members("updatedMs", &updatedMs)
      try members("confirmedMs", &confirmedMs)
      try members("lastSignInMs", &lastSignInMs)
      try members("newEmail", &newEmail)
      try members("bannedUntilMs", &bannedUntilMs)
      try members("confirmationSentMs", &confirmationSentMs)
      try members("recoverySentMs", &recoverySentMs)
      try members("emailChangeSentMs", &emailChangeSentMs)
      try members("reauthenticationSentMs", &reauthenticationSentMs)
    }
  }

  package struct Identity: StoredRecord {
    package var id = ""
    package var userID = ""
    package var provider = ""
    /// The provider's name for the person; for mail the user's id.
    package var subject = ""
    package var email = ""
    var data = JSONObject()
    var createdMs: Int64 = 0

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("userID", &userID)
      try members("provider", &provider)
      try members("subject", &subject)
      try members("email", &email)
      try members("data", &data)
      try members("createdMs", &createdMs)
    }
  }

  package struct Session: StoredRecord {
    /// A way in which the person has shown who they are.
    package struct Method: StoredRecord {
      package enum Name: String, CaseIterable, StoredValue {
        case password, otp, oauth, totp
      }

      package var name = Name.password
      package var atMs: Int64 = 0

      package init() {}

      init(_ name: Name, at nowMs: Int64) {
        self.name = name
        atMs = nowMs
      }

      package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
        try members("name", &name)
        try members("atMs", &atMs)
      }
    }

    package var id = ""
    package var userID = ""
    package var createdMs: Int64 = 0
    package var refreshedMs: Int64 = 0
    /// Newest first.
    package var methods: [Method] = []
    /// The factor that raised the session.
    var factorID: String?
    /// Of counted refresh tokens (version 2) the current one.
    package var counter: Int64?

    package init() {}

    package var isAAL2: Bool { methods.contains { $0.name == .totp } }

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("userID", &userID)
      try members("createdMs", &createdMs)
      try members("refreshedMs", &refreshedMs)
      try members("methods", &methods)
      try members("factorID", &factorID)
      try members("counter", &counter)
    }
  }

  /// A refresh token of version 1.
  package struct RefreshToken: StoredRecord {
    package var token = ""
    package var sessionID = ""
    package var parent: String?
    package var revokedMs: Int64?

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("token", &token)
      try members("sessionID", &sessionID)
      try members("parent", &parent)
      try members("revokedMs", &revokedMs)
    }
  }

  /// A code that was mailed, as a digest of address and code; the digest is the link's token.
  package struct OneTimeCode: StoredRecord {
    package enum Purpose: String, CaseIterable, StoredValue {
      case confirmation, recovery, emailChangeCurrent, emailChangeNew, reauthentication
      /// For deeds that cannot be undone, by the application's own handlers.
      case sensitive
    }

    package var userID = ""
    package var purpose = Purpose.confirmation
    var digest = ""
    var email = ""
    var sentMs: Int64 = 0
    /// The request had a challenge, so that the link gives a code and no tokens.
    var isPKCE = false

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("userID", &userID)
      try members("purpose", &purpose)
      try members("digest", &digest)
      try members("email", &email)
      try members("sentMs", &sentMs)
      try members("isPKCE", &isPKCE)
    }
  }

  /// A mail as it lies in the outbox.
  package struct Mail: StoredRecord {
    package var to = ""
    /// The word of `POST /verify`: `signup`, `recovery`, `magiclink`, `email_change`,
    /// `reauthentication`, `sensitive`.
    package var kind = ""
    package var code = ""
    package var link: String?
    package var sentMs: Int64 = 0

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("to", &to)
      try members("kind", &kind)
      try members("code", &code)
      try members("link", &link)
      try members("sentMs", &sentMs)
    }
  }

  /// An invitation of the application. Its token is the server's own.
  package struct Invitation: StoredRecord {
    package var id = ""
    package var email = ""
    package var workspace = ""
    var token = ""
    package var acceptedBy: String?

    package init() {}

    package mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
      try members("id", &id)
      try members("email", &email)
      try members("workspace", &workspace)
      try members("token", &token)
      try members("acceptedBy", &acceptedBy)
    }
  }
}
