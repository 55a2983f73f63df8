import JSON
import Ports
import Session

/// An auth client that a test scripts: what is not scripted succeeds, and is told to the subscribers
/// as auth-js does.
final class FakeAuth: AuthCalls {
  typealias Listener = (AuthEvent, AuthSession?) async throws -> Void

  /// What becomes of the next call of a name, before it has any effect.
  enum Script {
    case fail(AuthError)
    case wait(Gate)
  }

  /// What the calls were, without secrets, and the events that were told.
  var journal: [String] = []
  var stored: AuthSession?
  var scripts: [String: [Script]] = [:]
  /// What the levels are; from the stored session unless it is set.
  var levels: (current: String?, next: String?)?
  var factors: [JSONObject] = []
  /// What `signUp` replies; a user to be confirmed unless it is set.
  var signUpReply: (user: AuthUser?, session: AuthSession?)?
  var flow: String?
  /// What `getSession` waits for: it never resolves before a stored session has been told of.
  var initialisation: Gate?
  /// The event of a code exchange.
  var exchangeEvent = AuthEvent.signedIn
  /// The parameters of the last call of a name, secrets too: for what must and must not be sent.
  var sent: [String: [String?]] = [:]
  /// As in the versions that hold a lock while they tell: a call from a listener waits for ever.
  var isLocking = false
  private(set) var callsFromListeners = 0
  private(set) var listeners: [Int: Listener] = [:]
  private(set) var subscriptionCount = 0
  private var tellingDepth = 0

  func calls(_ names: String...) -> [String] {
    journal.filter { line in names.contains { line.hasPrefix($0) } }
  }

  func tell(_ event: AuthEvent, _ session: AuthSession?) async {
    journal.append("! \(event.rawValue)")
    for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) {
      tellingDepth += 1
      do {
        try await listener(event, session)
      } catch {
        journal.append("listener threw")
      }
      tellingDepth -= 1
    }
  }

  private func called(_ name: String, _ parameters: String?...) async throws(AuthError) {
    journal.append(name)
    sent[name] = parameters
    if tellingDepth > 0 {
      callsFromListeners += 1
      if isLocking { await Gate().pass() }
    }
    guard var queue = scripts[name], !queue.isEmpty else { return }
    let script = queue.removeFirst()
    scripts[name] = queue
    switch script {
    case .fail(let error): throw error
    case .wait(let gate): await gate.pass()
    }
  }

  private func save(_ session: AuthSession, _ event: AuthEvent) async {
    stored = session
    await tell(event, session)
  }

  // MARK: The calls

  func onAuthStateChange(_ listener: @escaping Listener) -> () -> Void {
    subscriptionCount += 1
    let id = subscriptionCount
    listeners[id] = listener
    return { [unowned self] in listeners[id] = nil }
  }

  func getSession() async throws(AuthError) -> AuthSession? {
    await initialisation?.pass()
    try await called("getSession")
    return stored
  }

  func refreshSession() async throws(AuthError) -> AuthSession? {
    try await called("refreshSession")
    if let stored { await save(stored, .tokenRefreshed) }
    return stored
  }

  func signInWithPassword(
    email: String, password: String
  ) async throws(AuthError) -> AuthSession {
    try await called("signInWithPassword", email, password)
    let session = makeSession(String(email.prefix { $0 != "@" }))
    await save(session, .signedIn)
    return session
  }

  func signUp(
    email: String, password: String, data: JSONObject?
  ) async throws(AuthError) -> (user: AuthUser?, session: AuthSession?) {
    try await called("signUp", email, password)
    guard let signUpReply else { return (user: makeUser("ada"), session: nil) }
    if let session = signUpReply.session { await save(session, .signedIn) }
    return signUpReply
  }

  func verifyOtp(
    type: String, email: String, token: String
  ) async throws(AuthError) -> AuthSession? {
    try await called("verifyOtp", type, email, token)
    let session = makeSession(String(email.prefix { $0 != "@" }))
    await save(session, type == "recovery" ? .passwordRecovery : .signedIn)
    return session
  }

  func resend(type: String, email: String) async throws(AuthError) {
    try await called("resend", type, email)
  }

  func resetPasswordForEmail(_ email: String) async throws(AuthError) {
    try await called("resetPasswordForEmail", email)
  }

  func updateUser(_ attributes: JSONObject) async throws(AuthError) -> AuthUser {
    try await called("updateUser", JSONWriter.text(of: .object(attributes)))
    await tell(.userUpdated, stored)
    return makeUser("ada")
  }

  func signInWithOAuth(
    provider: String, redirectTo: String, scopes: String?
  ) async throws(AuthError) -> (url: String, flow: String?) {
    try await called("signInWithOAuth", provider, redirectTo, scopes)
    return ("https://auth.example.com/authorize?provider=\(provider)", flow)
  }

  func exchangeCodeForSession(
    _ code: String, flow: String?
  ) async throws(AuthError) -> AuthSession {
    try await called("exchangeCodeForSession", code, flow)
    let session = makeSession("ada")
    await save(session, exchangeEvent)
    return session
  }

  func signInWithIdToken(
    provider: String, token: String, nonce: String?
  ) async throws(AuthError) -> AuthSession {
    try await called("signInWithIdToken", provider, token, nonce)
    let session = stored ?? makeSession("ada")
    await save(session, .signedIn)
    return session
  }

  func signOut() async throws(AuthError) {
    try await called("signOut")
    stored = nil
    await tell(.signedOut, nil)
  }

  func startAutoRefresh() async { journal.append("startAutoRefresh") }

  func stopAutoRefresh() async { journal.append("stopAutoRefresh") }

  func enroll(friendlyName: String, issuer: String) async throws(AuthError) -> JSONObject {
    try await called("enroll", friendlyName, issuer)
    return object([
      "id": "factor-1", "type": "totp", "friendly_name": .text(friendlyName),
      "totp": [
        "qr_code": "data:image/svg+xml;utf-8,", "secret": "MADEUPSECRET",
        "uri": "otpauth://totp/Lab:ada?secret=MADEUPSECRET",
      ],
    ])
  }

  func challengeAndVerify(factor: String, code: String) async throws(AuthError) {
    try await called("challengeAndVerify", factor, code)
    levels = ("aal2", "aal2")
    await tell(.mfaChallengeVerified, stored)
  }

  func unenroll(factor: String) async throws(AuthError) { try await called("unenroll", factor) }

  func listFactors() async throws(AuthError) -> [JSONObject] {
    try await called("listFactors")
    return factors
  }

  func assuranceLevels() async throws(AuthError) -> (current: String?, next: String?) {
    try await called("assuranceLevels")
    return levels ?? ("aal1", "aal1")
  }
}

/// An object from what is written as a dictionary.
func object(_ value: JSONValue) -> JSONObject { value.object ?? JSONObject() }

func makeUser(_ name: String) -> AuthUser {
  AuthUser(
    object(["id": .text("id-\(name)"), "identities": [["provider": "email"]]]))
}

func makeSession(_ name: String, generation: Int = 1, fullName: String? = nil) -> AuthSession {
  let metadata: JSONValue = fullName.map { ["full_name": .text($0)] } ?? [:]
  return AuthSession(
    object([
      "access_token": .text("access-\(name)-\(generation)"), "expires_at": 1_790_003_600,
      "refresh_token": .text("refresh-\(name)-\(generation)"),
      "user": ["id": .text("id-\(name)"), "user_metadata": metadata],
    ]))
}

func makeFactor(_ id: String, status: String = "verified", type: String = "totp") -> JSONObject {
  object([
    "id": .text(id), "status": .text(status), "factor_type": .text(type),
    "friendly_name": .text("name of \(id)"),
  ])
}

extension AuthError {
  static func refused(_ code: String, status: Int = 400) -> AuthError {
    .api(message: "made-up message for \(code)", status: status, code: code)
  }

  static let offline = AuthError.retryableFetch(message: "Network request failed", status: 0)
  static let broken = AuthError.storage(.native(NativeError(message: "keychain locked")))
}
