/// The alert that a screen shows after a failure.
package struct AuthAlert: Equatable, Sendable {
  /// The key of the text; never shown itself.
  package var key: String
  package var text: String
  /// Shown as a bulleted list: which rules of the server a password breaks.
  package var reasons: [String] = []

  package init(_ thrown: Thrown, _ profile: AppProfile) {
    key = ErrorMapper.key(thrown)
    text = ErrorCatalogue(profile).text(key)
  }

  package init(_ error: AuthError, _ profile: AppProfile) {
    self.init(Thrown(error), profile)
    if case .weakPassword(_, _, let reasons) = error { self.reasons = reasons }
  }
}

/// What a screen shows of a call: the alert of a failure stays while the call is tried again, and goes
/// with the first success.
package struct Attempt: Equatable, Sendable {
  package private(set) var isPending = false
  package private(set) var alert: AuthAlert?

  package init() {}

  mutating func begin() { isPending = true }

  mutating func succeed() {
    isPending = false
    alert = nil
  }

  mutating func fail(_ alert: AuthAlert) {
    isPending = false
    self.alert = alert
  }

  /// Ended without a word to the person.
  mutating func end() { isPending = false }
}
