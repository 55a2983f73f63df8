import Crypto
import JSON
import Ports
import Wire

/// Sessions live for seven days, and each day of use gives seven new ones.
extension BetterAuthServer {
  static let sessionMs: Int64 = 604_800_000
  private static let updateMs: Int64 = 86_400_000

  func getSession(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    guard let index = try sessionIndex(call) else {
      var response = HTTPResponse.json(.null)
      let cookie = sessionCookie(call)
      if call.cookies[cookie.name] != nil { response.headers.add("set-cookie", cookie.deletion) }
      return response
    }
    let isOld = call.nowMs - state.sessions[index].updatedMs >= Self.updateMs
    if isOld {
      state.sessions[index].updatedMs = call.nowMs
      state.sessions[index].expiresMs = call.nowMs + Self.sessionMs
    }
    let session = state.sessions[index]
    var response = HTTPResponse.json([
      "session": [
        "id": .text(session.id), "token": .text(session.token), "userId": .text(session.userID),
        "createdAt": Self.time(session.createdMs), "updatedAt": Self.time(session.updatedMs),
        "expiresAt": Self.time(session.expiresMs),
      ],
      "user": user(session.userID).map(Self.json) ?? .null,
    ])
    if isOld { try setSession(session, &response, call) }
    return response
  }

  func signOut(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> HTTPResponse {
    if let index = try sessionIndex(call) { state.sessions.remove(at: index) }
    var response = HTTPResponse.json(["success": true])
    response.headers.add("set-cookie", sessionCookie(call).deletion)
    return response
  }

  /// Ends all sessions of a user, as an administrator does.
  package func revokeSessions(of email: String) {
    let ids = state.users.filter { $0.email == email }.map(\.id)
    state.sessions.removeAll { ids.contains($0.userID) }
  }

  /// Where in the state the session of a request is; `nil` if it has none that is valid.
  func sessionIndex(_ call: BetterAuthCall) throws(BetterAuthRefusal) -> Int? {
    let token = try signed { () throws(CryptoError) in
      try sessionCookie(call).value(in: call.cookies, secret: secret)
    }
    guard let token else { return nil }
    return state.sessions.firstIndex { $0.token == token && $0.expiresMs > call.nowMs }
  }

  /// Begins a session and hands its cookie over.
  func begin(
    userID: String, _ response: inout HTTPResponse, _ call: BetterAuthCall
  ) throws(BetterAuthRefusal) {
    var session = BetterAuthState.Session()
    session.id = newID()
    session.token = newID()
    session.userID = userID
    session.createdMs = call.nowMs
    session.updatedMs = call.nowMs
    session.expiresMs = call.nowMs + Self.sessionMs
    state.sessions.append(session)
    try setSession(session, &response, call)
  }

  private func setSession(
    _ session: BetterAuthState.Session, _ response: inout HTTPResponse, _ call: BetterAuthCall
  ) throws(BetterAuthRefusal) {
    response.headers.add("set-cookie", try cookieHeader(session, call))
  }

  func cookieHeader(
    _ session: BetterAuthState.Session, _ call: BetterAuthCall
  ) throws(BetterAuthRefusal) -> String {
    try signed { () throws(CryptoError) in
      try sessionCookie(call).header(
        session.token, maxAge: (session.expiresMs - call.nowMs) / 1000, secret: secret)
    }
  }

  private func sessionCookie(_ call: BetterAuthCall) -> SignedCookie {
    SignedCookie("session_token", call.environment)
  }

  /// Finds the user of an address, or makes one.
  func userID(_ email: String, _ nowMs: Int64) -> String {
    if let user = state.users.first(where: { $0.email == email }) { return user.id }
    var user = BetterAuthState.User()
    user.id = newID()
    user.email = email
    user.createdMs = nowMs
    state.users.append(user)
    return user.id
  }

  func user(_ id: String) -> BetterAuthState.User? { state.users.first { $0.id == id } }

  static func json(_ user: BetterAuthState.User) -> JSONValue {
    [
      "id": .text(user.id), "email": .text(user.email), "emailVerified": true, "name": "",
      "createdAt": time(user.createdMs),
    ]
  }

  private static func time(_ ms: Int64) -> JSONValue { .text(Instant(ms: ms).isoText) }

  func newID() -> String { Base64URL.encode(entropy.bytes(24)) }

  /// Signs or checks; a failure of the library is the server's.
  func signed<Value>(_ work: () throws(CryptoError) -> Value) throws(BetterAuthRefusal) -> Value {
    do throws(CryptoError) {
      return try work()
    } catch {
      throw .broken
    }
  }
}
