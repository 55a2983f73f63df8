import COpenSSL

/// A digest fed piece by piece, over one library context that is reused for each message.
///
/// Must not be used from two threads at once.
package struct MessageDigest: ~Copyable {
  /// The digests that the lab needs.
  package enum Algorithm: Sendable {
    /// FIPS 180-4, 32 bytes.
    case sha256
    /// FIPS 180-4, 28 bytes; GoTrue keeps one-time codes under it.
    case sha224
    /// RFC 1321, 16 bytes. Broken as a hash; AsyncStorage names its files by it.
    case md5

    var fetched: FetchedAlgorithm {
      switch self {
      case .sha256: FetchedAlgorithm.sha256
      case .sha224: FetchedAlgorithm.sha224
      case .md5: FetchedAlgorithm.md5
      }
    }

    var bytes: Int {
      switch self {
      case .sha256: 32
      case .sha224: 28
      case .md5: 16
      }
    }
  }

  private let context: DigestContext
  private let algorithm: Algorithm

  package init(_ algorithm: Algorithm) throws(CryptoError) {
    let context = try DigestContext(algorithm.fetched)
    self.context = context
    self.algorithm = algorithm
  }

  package mutating func update(_ bytes: [UInt8]) throws(CryptoError) {
    try OpenSSLLibrary.check(
      unsafe EVP_DigestUpdate(context.pointer, bytes, bytes.count), "EVP_DigestUpdate")
  }

  /// The digest of what was fed since the last call; the value then starts a new message.
  package mutating func finish() throws(CryptoError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: algorithm.bytes)
    try OpenSSLLibrary.check(
      unsafe EVP_DigestFinal_ex(context.pointer, &digest, nil), "EVP_DigestFinal_ex")
    try OpenSSLLibrary.check(
      unsafe EVP_DigestInit_ex2(context.pointer, nil, nil), "EVP_DigestInit_ex2")
    return digest
  }

  /// The digest of one message.
  package static func digest(
    of bytes: [UInt8], _ algorithm: Algorithm
  ) throws(CryptoError) -> [UInt8] {
    var digest = try MessageDigest(algorithm)
    try digest.update(bytes)
    return try digest.finish()
  }
}

/// Owns a digest context of the library.
@safe private struct DigestContext: ~Copyable {
  let pointer: OpaquePointer

  init(_ algorithm: FetchedAlgorithm) throws(CryptoError) {
    let pointer = unsafe try OpenSSLLibrary.check(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
    guard unsafe EVP_DigestInit_ex2(pointer, algorithm.pointer, nil) == 1 else {
      unsafe EVP_MD_CTX_free(pointer)
      throw .library(call: "EVP_DigestInit_ex2")
    }
    unsafe self.pointer = pointer
  }

  deinit { unsafe EVP_MD_CTX_free(pointer) }
}

/// The SHA-256 digest of a message, 32 bytes.
package func sha256(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
  try MessageDigest.digest(of: bytes, .sha256)
}

/// The MD5 digest of a message, 16 bytes. For file names only.
package func md5(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
  try MessageDigest.digest(of: bytes, .md5)
}

/// The SHA-224 digest of a message, 28 bytes.
package func sha224(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
  try MessageDigest.digest(of: bytes, .sha224)
}
