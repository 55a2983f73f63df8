import Crypto
package import JSON

/// What the keystore's service can be asked, as JSON over the system's channel. Keys are AES-256
/// for GCM, and never leave the service.
package enum KeystoreRequest: Equatable, Sendable {
  // What apps call.
  /// Replaces a key of the same alias.
  case generateKey(alias: String, requiresAuthentication: Bool)
  /// Whether there is a key of that alias: success, or ``KeystoreStatus/keyNotFound``.
  case contains(alias: String)
  /// Under a nonce that the service draws: see ``KeystoreAnswer/nonce`` and
  /// ``KeystoreAnswer/data``, the ciphertext and its tag.
  case encrypt(alias: String, [UInt8])
  /// `data` is a ciphertext and its tag.
  case decrypt(alias: String, nonce: [UInt8], data: [UInt8])
  case deleteKey(alias: String)

  // What the system and the lab do to the phone.
  /// All aliases of the app: see ``KeystoreAnswer/aliases``.
  case list
  /// Removes all keys of the app, as its uninstallation does.
  case clearNamespace
  /// Makes the keys that need the owner's fingerprint or face unusable for ever.
  case invalidateAuthenticated
  case setLockState(LockState)
  case ping
  case quit

  /// Whether it commits a key, or the removal of one.
  package var changesKeys: Bool {
    switch self {
    case .generateKey, .deleteKey: true
    default: false
    }
  }

  /// The request as it is sent.
  package var text: String { JSONWriter.text(of: json) }

  private var json: JSONValue {
    switch self {
    case .generateKey(let alias, let requiresAuthentication):
      [
        "call": "generateKey", "alias": .text(alias),
        "requiresAuthentication": .bool(requiresAuthentication),
      ]
    case .contains(let alias): ["call": "contains", "alias": .text(alias)]
    case .encrypt(let alias, let data):
      ["call": "encrypt", "alias": .text(alias), "data": .text(Hexadecimal.encode(data))]
    case .decrypt(let alias, let nonce, let data):
      [
        "call": "decrypt", "alias": .text(alias), "nonce": .text(Hexadecimal.encode(nonce)),
        "data": .text(Hexadecimal.encode(data)),
      ]
    case .deleteKey(let alias): ["call": "deleteKey", "alias": .text(alias)]
    case .list: ["call": "list"]
    case .clearNamespace: ["call": "clearNamespace"]
    case .invalidateAuthenticated: ["call": "invalidateAuthenticated"]
    case .setLockState(let state): ["call": "setLockState", "state": .text(state.rawValue)]
    case .ping: ["call": "ping"]
    case .quit: ["call": "quit"]
    }
  }

  /// Reads a request.
  ///
  /// - Throws: `JSONError` when it is not one, or has a key that nobody knows.
  package init(_ text: String) throws(JSONError) {
    let node = try JSONReader.read(text, .json)
    var reader = try node.object("a keystore request")
    let call = try reader.required("call")
    switch try call.text() {
    case "generateKey":
      self = .generateKey(
        alias: try reader.required("alias").text(),
        requiresAuthentication: try reader.required("requiresAuthentication").bool())
    case "contains": self = .contains(alias: try reader.required("alias").text())
    case "encrypt":
      let alias = try reader.required("alias").text()
      self = .encrypt(alias: alias, try Self.bytes(try reader.required("data")))
    case "decrypt":
      self = .decrypt(
        alias: try reader.required("alias").text(),
        nonce: try Self.bytes(try reader.required("nonce")),
        data: try Self.bytes(try reader.required("data")))
    case "deleteKey": self = .deleteKey(alias: try reader.required("alias").text())
    case "list": self = .list
    case "clearNamespace": self = .clearNamespace
    case "invalidateAuthenticated": self = .invalidateAuthenticated
    case "setLockState":
      self = .setLockState(try reader.required("state").word("lock state", as: LockState.self))
    case "ping": self = .ping
    case "quit": self = .quit
    case let other: throw call.error("unknown call '\(other)'")
    }
    try reader.finish()
  }

  private static func bytes(_ node: JSONNode) throws(JSONError) -> [UInt8] {
    let text = try node.text()
    do {
      return try Hexadecimal.decode(text)
    } catch {
      throw node.error("not hexadecimal")
    }
  }
}
