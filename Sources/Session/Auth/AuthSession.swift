package import JSON

/// A session as the client holds and stores it: the server's token reply, with every member that the
/// server sent.
package struct AuthSession: Equatable, Sendable {
  package var json: JSONObject

  package init(_ json: JSONObject) { self.json = json }
}

/// A user as the server describes it.
package struct AuthUser: Equatable, Sendable {
  package var json: JSONObject

  package init(_ json: JSONObject) { self.json = json }
}
