import Crypto
import JSON
import Ports

/// A flow that ends in the exchange of a code: what the server gets at its start.
struct PKCEFlow {
  let challenge: String
  /// `s256`, or `plain` where the challenge is the verifier itself.
  let method: String
  /// `nil` where the version knows one flow at a time.
  let id: String?
}

/// A verifier proves that the one who ends a flow is the one who started it.
extension AuthClient {
  /// What a verifier ends in that a password reset started.
  static let recoveryMark = "recovery"

  /// Makes a verifier and stores it.
  func startFlow(isRecovery: Bool = false) async throws(AuthError) -> PKCEFlow {
    let verifier = Hexadecimal.encode(ports.entropy.bytes(56))
    let stored = JSONValue.text(isRecovery ? "\(verifier)/\(Self.recoveryMark)" : verifier)
    var id: String?
    if settings.behaviour.hasFlowSlots {
      let new = Hexadecimal.encode(ports.entropy.bytes(16))
      try await write(keys.verifier(ofFlow: new), stored)
      var flows = try await flows().filter { $0 != new } + [new]
      while flows.count > AuthKeys.flowsMax {
        try await remove(keys.verifier(ofFlow: flows.removeFirst()))
      }
      try await write(keys.flows, .list(flows.map(JSONValue.text)))
      id = new
    }
    try await write(keys.verifier, stored)
    return PKCEFlow(
      challenge: try challenge(verifier), method: hasSHA256 ? "s256" : "plain", id: id)
  }

  /// A flow where the client uses them, for a request that may have one.
  func startFlowIfUsed(isRecovery: Bool = false) async throws(AuthError) -> PKCEFlow? {
    guard settings.flowType == .pkce else { return nil }
    return try await startFlow(isRecovery: isRecovery)
  }

  /// Removes the verifier of a flow that will not end; without a flow, of the last one.
  func abandon(_ flow: PKCEFlow?) async throws(AuthError) {
    try await removeVerifier(ofFlow: flow?.id)
  }

  func removeVerifiers() async throws(AuthError) {
    if settings.behaviour.hasFlowSlots {
      for id in try await flows() { try await remove(keys.verifier(ofFlow: id)) }
      try await remove(keys.flows)
    }
    try await remove(keys.verifier)
  }

  /// Ends a flow: gives the code for a session.
  ///
  /// - Parameters:
  ///   - code: What came back from the browser.
  ///   - flow: Which flow it belongs to; `nil` takes the one that was started last.
  /// - Returns: The session, and `recovery` if a password reset started the flow.
  /// - Throws: ``AuthError``. The verifier is gone then, too, unless the hardened client got no reply.
  package func exchange(
    code: String, flow: String?
  ) async throws(AuthError) -> (session: AuthSession, redirectType: String?) {
    try await operation { () async throws(AuthError) in
      var flow = settings.behaviour.hasFlowSlots ? flow.flatMap(AuthKeys.flow) : nil
      if settings.isHardened, flow == nil { flow = try await onlyFlow() }
      let key = flow.map(keys.verifier(ofFlow:)) ?? keys.verifier
      let stored = try await read(key)?.text ?? ""
      let parts = stored.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      do throws(AuthError) {
        let verifier = parts.first ?? ""
        guard !verifier.isEmpty || settings.flowType == .implicit else { throw .verifierMissing }
        let session = try await requestSession(
          "/token?grant_type=pkce",
          body: ["auth_code": .text(code), "code_verifier": .text(verifier)])
        try await removeVerifier(ofFlow: flow)
        try await save(session)
        let type = parts.count > 1 ? parts[1] : nil
        try await notify(type == Self.recoveryMark ? .passwordRecovery : .signedIn, session)
        return (session, type)
      } catch {
        // The hardened client can try again when no reply came (H-17).
        if !settings.isHardened || !error.isRetryable { try await removeVerifier(ofFlow: flow) }
        throw error
      }
    }
  }

  func removeVerifier(ofFlow id: String?) async throws(AuthError) {
    guard let id else { return try await remove(keys.verifier) }
    let slot = keys.verifier(ofFlow: id)
    let verifier = try await read(slot)
    try await remove(slot)
    let flows = try await flows()
    let rest = flows.filter { $0 != id }
    if rest.isEmpty, !flows.isEmpty {
      try await remove(keys.flows)
    } else if rest.count < flows.count {
      try await write(keys.flows, .list(rest.map(JSONValue.text)))
    }
    if let verifier, try await read(keys.verifier) == verifier { try await remove(keys.verifier) }
  }

  func flows() async throws(AuthError) -> [String] {
    try await read(keys.flows)?.list?.compactMap(\.text).compactMap(AuthKeys.flow) ?? []
  }

  /// The hardened client brings its own (H-17).
  private var hasSHA256: Bool { settings.hasWebCrypto || settings.isHardened }

  private func challenge(_ verifier: String) throws(AuthError) -> String {
    guard hasSHA256 else {
      ports.console.warn(
        "WebCrypto API is not supported. Code challenge method will default to use plain instead "
          + "of sha256.")
      return verifier
    }
    do throws(CryptoError) {
      return Base64URL.encode(try sha256(Array(verifier.utf8)))
    } catch {
      throw .storage(.crypto(error))
    }
  }
}
