import COpenSSL

/// A cipher context of the library that is kept from message to message.
///
/// The cipher is set anew only when the key size changes: setting it again frees and allocates
/// the context's inner state, which costs more than a short message.
@safe struct CipherContext: ~Copyable {
  let pointer: OpaquePointer
  /// The key size that the cipher of the context is for; `nil` when it has none.
  private var keyBytes: Int?
  private let choose: @Sendable (Int) -> FetchedAlgorithm?
  private static let zeroes = [UInt8](repeating: 0, count: 32)

  /// Takes a function that gives the fetched cipher for a key of so many bytes, if there is one.
  init(choosing choose: @escaping @Sendable (Int) -> FetchedAlgorithm?) throws(CryptoError) {
    guard OpenSSLLibrary.ready else { throw .library(call: "OPENSSL_init_crypto") }
    unsafe pointer = try OpenSSLLibrary.check(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
    self.choose = choose
  }

  deinit {
    // Cleanses the key schedule before it frees it.
    unsafe EVP_CIPHER_CTX_free(pointer)
  }

  /// Makes the context one for keys of this size; its direction, key and nonce are not set.
  mutating func prepare(keyBytes count: Int) throws(CryptoError) {
    guard count != keyBytes else { return }
    guard let algorithm = choose(count) else { throw .keySize(bytes: count) }
    // A cipher that could not be fetched would otherwise read as "keep the one before".
    guard unsafe algorithm.pointer != nil else { throw .library(call: "EVP_CIPHER_fetch") }
    keyBytes = nil
    try OpenSSLLibrary.check(
      unsafe EVP_EncryptInit_ex2(pointer, algorithm.pointer, nil, nil, nil),
      "EVP_EncryptInit_ex2")
    keyBytes = count
  }

  /// Overwrites the key schedule that the last message left, keeping the context ready.
  mutating func forget() {
    guard keyBytes != nil else { return }
    // A failure could only leave the context unusable, and the next `prepare` starts it again.
    if unsafe EVP_EncryptInit_ex2(pointer, nil, Self.zeroes, nil, nil) != 1 { keyBytes = nil }
  }
}
