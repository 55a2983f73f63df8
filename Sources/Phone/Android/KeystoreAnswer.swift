import Crypto
import JSON

/// What the keystore's service answers.
package struct KeystoreAnswer: Equatable, Sendable {
  package var status: KeystoreStatus
  /// The 12 bytes that were drawn for an encryption.
  package var nonce: [UInt8]?
  /// A ciphertext and its tag, or a plaintext.
  package var data: [UInt8]?
  /// The answer to ``KeystoreRequest/list``, in the order of their making.
  package var aliases: [String]?

  package init(
    _ status: KeystoreStatus, nonce: [UInt8]? = nil, data: [UInt8]? = nil,
    aliases: [String]? = nil
  ) {
    self.status = status
    self.nonce = nonce
    self.data = data
    self.aliases = aliases
  }

  /// The answer as it is sent.
  package var text: String {
    var members = JSONObject()
    members["status"] = .integer(Int64(status.rawValue))
    members["nonce"] = nonce.map { .text(Hexadecimal.encode($0)) }
    members["data"] = data.map { .text(Hexadecimal.encode($0)) }
    members["aliases"] = aliases.map { .list($0.map(JSONValue.text)) }
    return JSONWriter.text(of: .object(members))
  }

  /// Reads an answer; what is not one counts as a service that cannot be used.
  package static func reading(_ text: String) -> KeystoreAnswer {
    do {
      let fields = try JSONReader.read(text, .json).value
      guard let number = fields["status"]?.integer.flatMap({ Int32(exactly: $0) }) else {
        return KeystoreAnswer(.systemError)
      }
      return KeystoreAnswer(
        KeystoreStatus(rawValue: number),
        nonce: try fields["nonce"]?.text.map { try Hexadecimal.decode($0) },
        data: try fields["data"]?.text.map { try Hexadecimal.decode($0) },
        aliases: fields["aliases"]?.list?.compactMap(\.text))
    } catch {
      return KeystoreAnswer(.systemError)
    }
  }
}
