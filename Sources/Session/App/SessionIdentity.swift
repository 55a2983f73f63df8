package import JSON

/// Which session a text is. Two texts are the same session only if they are the same text.
///
/// Holds no token: digests are the first 16 digits of a SHA-256.
package struct SessionIdentity: Equatable, Sendable {
  /// `user.id`, where it is a text.
  package var user: String?
  /// `lab_generation`, where it is a whole number; sessions from elsewhere have none.
  package var generation: Int?
  /// Tells refresh tokens apart.
  package var refreshDigest: String
  /// Tells texts apart, so that one flipped bit anywhere is another identity.
  package var textDigest: String

  package init(user: String?, generation: Int?, refreshDigest: String, textDigest: String) {
    self.user = user
    self.generation = generation
    self.refreshDigest = refreshDigest
    self.textDigest = textDigest
  }

  /// For results and logs.
  package var json: JSONValue {
    var fields = JSONObject()
    fields["user"] = user.map(JSONValue.text)
    fields["generation"] = generation.map { .integer($0) }
    fields["refreshDigest"] = .text(refreshDigest)
    fields["textDigest"] = .text(textDigest)
    return .object(fields)
  }
}
