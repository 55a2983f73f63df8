import COpenSSL

/// AES in Galois/counter mode (NIST SP 800-38D) with a 16-byte tag.
///
/// One value holds one reused library context; it must not be used from two threads at once. The
/// key schedule is overwritten after each message. A nonce must never repeat under one key; this
/// type does not choose or remember nonces.
package struct AESGCM: ~Copyable {
  package static let tagBytes = 16
  private var context: CipherContext

  /// What ``seal(_:key:nonce:authenticating:)`` gives.
  package struct Sealed: Equatable, Sendable {
    package var ciphertext: [UInt8]
    package var tag: [UInt8]

    package init(ciphertext: [UInt8], tag: [UInt8]) {
      self.ciphertext = ciphertext
      self.tag = tag
    }
  }

  package init() throws(CryptoError) {
    context = try CipherContext { keyBytes in
      switch keyBytes {
      case 16: FetchedAlgorithm.aes128GCM
      case 24: FetchedAlgorithm.aes192GCM
      case 32: FetchedAlgorithm.aes256GCM
      default: nil
      }
    }
  }

  /// Encrypts `plaintext`, and authenticates it together with `additional`.
  ///
  /// The key has 16, 24 or 32 bytes; the nonce 1 to 128, normally 12.
  ///
  /// - Throws: ``CryptoError/keySize(bytes:)`` or ``CryptoError/nonceSize(bytes:)``.
  package mutating func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additional: [UInt8] = []
  ) throws(CryptoError) -> Sealed {
    try start(encrypts: true, key: key, nonce: nonce)
    defer { context.forget() }
    try update(additional)
    let ciphertext = try update(converting: plaintext)
    try finish()
    var tag = [UInt8](repeating: 0, count: Self.tagBytes)
    try OpenSSLLibrary.check(
      unsafe EVP_CIPHER_CTX_ctrl(
        context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), &tag), "EVP_CIPHER_CTX_ctrl")
    return Sealed(ciphertext: ciphertext, tag: tag)
  }

  /// Decrypts, and gives the plaintext only if the tag fits.
  ///
  /// - Throws: ``CryptoError/notAuthentic`` when it does not, or is not 16 bytes long; what was
  ///   decrypted is wiped.
  package mutating func open(
    _ sealed: Sealed, key: [UInt8], nonce: [UInt8], authenticating additional: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    guard sealed.tag.count == Self.tagBytes else { throw .notAuthentic }
    try start(encrypts: false, key: key, nonce: nonce)
    defer { context.forget() }
    try update(additional)
    var plaintext = try update(converting: sealed.ciphertext)
    var tag = sealed.tag
    try OpenSSLLibrary.check(
      unsafe EVP_CIPHER_CTX_ctrl(
        context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag), "EVP_CIPHER_CTX_ctrl")
    do throws(CryptoError) {
      try finish()
    } catch {
      wipe(&plaintext)
      throw .notAuthentic
    }
    return plaintext
  }

  private mutating func start(
    encrypts: Bool, key: [UInt8], nonce: [UInt8]
  ) throws(CryptoError) {
    guard (1...128).contains(nonce.count) else { throw .nonceSize(bytes: nonce.count) }
    try context.prepare(keyBytes: key.count)
    let pointer = unsafe context.pointer
    try OpenSSLLibrary.check(
      unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil),
      "EVP_CIPHER_CTX_ctrl")
    try OpenSSLLibrary.check(
      unsafe EVP_CipherInit_ex2(pointer, nil, key, nonce, encrypts ? 1 : 0, nil),
      "EVP_CipherInit_ex2")
  }

  /// Takes additional data: authenticated, not encrypted.
  private func update(_ additional: [UInt8]) throws(CryptoError) {
    guard !additional.isEmpty else { return }
    guard let count = Int32(exactly: additional.count) else {
      throw .library(call: "EVP_CipherUpdate")
    }
    var written: Int32 = 0
    try OpenSSLLibrary.check(
      unsafe EVP_CipherUpdate(context.pointer, nil, &written, additional, count),
      "EVP_CipherUpdate")
  }

  private func update(converting input: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard !input.isEmpty else { return [] }
    guard let count = Int32(exactly: input.count) else {
      throw .library(call: "EVP_CipherUpdate")
    }
    var output = [UInt8](repeating: 0, count: input.count)
    var written: Int32 = 0
    try OpenSSLLibrary.check(
      unsafe EVP_CipherUpdate(context.pointer, &output, &written, input, count),
      "EVP_CipherUpdate")
    return output
  }

  /// Ends the message: makes the tag, or compares it in constant time.
  private func finish() throws(CryptoError) {
    var rest = [UInt8](repeating: 0, count: 16)
    var written: Int32 = 0
    try OpenSSLLibrary.check(
      unsafe EVP_CipherFinal_ex(context.pointer, &rest, &written), "EVP_CipherFinal_ex")
  }
}
