import Crypto
import JSON
import Ports

/// A salted digest, so that no state holds a password. One round: the lab's passwords are made
/// up, and a slow digest would only slow explorations down.
struct PasswordDigest: StoredRecord {
  private var salt = ""
  private var code = ""

  init() {}

  init(_ password: String, _ entropy: any Entropy) throws(CryptoError) {
    salt = Hexadecimal.encode(entropy.bytes(16))
    code = Hexadecimal.encode(
      try HMACSHA256.code(for: Array(password.utf8), key: Array(salt.utf8)))
  }

  func fits(_ password: String) throws(CryptoError) -> Bool {
    let code = try HMACSHA256.code(for: Array(password.utf8), key: Array(salt.utf8))
    return Hexadecimal.encode(code) == self.code
  }

  mutating func visit(_ members: inout StoredMembers) throws(JSONError) {
    try members("salt", &salt)
    try members("code", &code)
  }
}
