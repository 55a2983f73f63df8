import Crypto
import JSON
import Ports

/// One hand-off under way.
struct HandOffAttempt: Equatable, CustomStringConvertible {
  /// Must come back unchanged.
  let nonce: String
  let startedMs: Int64
  /// What only this app knows; hardened only.
  let verifier: String?

  init(_ entropy: any Entropy, nowMs: Int64, profile: HandOffProfile) {
    nonce = Base64URL.encode(entropy.bytes(32))
    startedMs = nowMs
    verifier = profile == .hardened ? Base64URL.encode(entropy.bytes(32)) : nil
  }

  /// Without its secrets.
  var description: String { "an attempt" }

  /// Reads what ``json`` wrote; `nil` for anything else.
  init?(_ text: String) {
    guard let stored = OrderedJSON.reading(text), let nonce = stored["nonce"]?.text,
      let verifier = stored["verifier"]?.text, case .number(let started)? = stored["startedMs"],
      let startedMs = Int64(exactly: started)
    else { return nil }
    self.nonce = nonce
    self.verifier = verifier
    self.startedMs = startedMs
  }

  var json: String {
    JSONWriter.text(of: [
      "nonce": .text(nonce), "startedMs": .integer(startedMs),
      "verifier": verifier.map(JSONValue.text) ?? .null,
    ])
  }

  /// What the web page passes on, so that the code is good for the verifier only.
  func challenge() throws(CryptoError) -> String? {
    guard let verifier else { return nil }
    return Base64URL.encode(try sha256(Array(verifier.utf8)))
  }
}

/// Where attempts wait for their callback: in memory, and hardened in the secure storage as well.
final class HandOffAttempts {
  /// How long a callback may take (hardened). A clock that went back ends the wait, too.
  static let limitMs: Int64 = 600_000

  private let profile: HandOffProfile
  private let ports: BetterAuthPorts
  private let name: String
  private var current: HandOffAttempt?

  init(_ profile: HandOffProfile, _ ports: BetterAuthPorts, name: String) {
    self.profile = profile
    self.ports = ports
    self.name = name
  }

  func begin(_ attempt: HandOffAttempt) async {
    current = attempt
    guard profile == .hardened else { return }
    do throws(NativeError) {
      try await ports.secure.setItem(name, to: attempt.json)
    } catch {
      ports.console.warn("the sign-in will not survive the end of the app: \(error)")
    }
  }

  /// The attempt that a nonce belongs to, which is over with that; `nil` if there is none.
  ///
  /// A foreign nonce ends nothing, so that a forged callback cannot take the true one's place.
  func take(_ nonce: String?) async -> HandOffAttempt? {
    guard let attempt = await waiting(), attempt.nonce == nonce else { return nil }
    await end()
    let ageMs = ports.clock.nowMs - attempt.startedMs
    guard profile == .seed || (0...Self.limitMs).contains(ageMs) else { return nil }
    return attempt
  }

  func end() async {
    current = nil
    guard profile == .hardened else { return }
    do throws(NativeError) {
      try await ports.secure.removeItem(name)
    } catch {
      ports.console.warn("an ended sign-in could not be removed: \(error)")
    }
  }

  private func waiting() async -> HandOffAttempt? {
    if let current { return current }
    guard profile == .hardened else { return nil }
    do throws(NativeError) {
      return try await ports.secure.item(name).flatMap(HandOffAttempt.init)
    } catch {
      ports.console.warn("a sign-in under way could not be read: \(error)")
      return nil
    }
  }
}
