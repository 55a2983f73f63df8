import COpenSSL

/// HMAC with SHA-256 (RFC 2104), under one key for any number of messages.
///
/// The library cleanses its copy of the key when the value ends. Must not be used from two
/// threads at once.
package struct HMACSHA256: ~Copyable {
  package static let codeBytes = 32
  private let context: MACContext

  /// Keeps a key of any number of bytes, none included, in the library.
  package init(key: [UInt8]) throws(CryptoError) {
    let context = try MACContext()
    let pointer = unsafe context.pointer
    // The library reads an absent key as "the one before", so an empty one needs an address.
    let addressed = key.isEmpty ? [0] : key
    var digest = Array("SHA256".utf8CString)
    let code = unsafe digest.withUnsafeMutableBufferPointer { name in
      let parameters = unsafe [
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.baseAddress, 0),
        OSSL_PARAM_construct_end(),
      ]
      return unsafe EVP_MAC_init(pointer, addressed, key.count, parameters)
    }
    try OpenSSLLibrary.check(code, "EVP_MAC_init")
    self.context = context
  }

  /// The 32-byte code of a message.
  package mutating func code(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try OpenSSLLibrary.check(
      unsafe EVP_MAC_update(context.pointer, message, message.count), "EVP_MAC_update")
    var code = [UInt8](repeating: 0, count: Self.codeBytes)
    var written = 0
    try OpenSSLLibrary.check(
      unsafe EVP_MAC_final(context.pointer, &code, &written, code.count), "EVP_MAC_final")
    // Starts the next message under the same key.
    try OpenSSLLibrary.check(unsafe EVP_MAC_init(context.pointer, nil, 0, nil), "EVP_MAC_init")
    return code
  }

  /// The code of one message under a key that is not kept.
  package static func code(
    for message: [UInt8], key: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    var hmac = try HMACSHA256(key: key)
    return try hmac.code(for: message)
  }

  /// Whether a code is that of a message, found out in a time that depends on sizes only.
  package static func isCode(
    _ code: [UInt8], for message: [UInt8], key: [UInt8]
  ) throws(CryptoError) -> Bool {
    let right = try Self.code(for: message, key: key)
    return code.count == right.count && (unsafe CRYPTO_memcmp(code, right, right.count)) == 0
  }
}

/// Owns a MAC context of the library; freeing it cleanses the key.
@safe private struct MACContext: ~Copyable {
  let pointer: OpaquePointer

  init() throws(CryptoError) {
    guard let fetched = unsafe FetchedAlgorithm.hmac.pointer else {
      throw .library(call: "EVP_MAC_fetch")
    }
    unsafe pointer = try OpenSSLLibrary.check(EVP_MAC_CTX_new(fetched), "EVP_MAC_CTX_new")
  }

  deinit { unsafe EVP_MAC_CTX_free(pointer) }
}
