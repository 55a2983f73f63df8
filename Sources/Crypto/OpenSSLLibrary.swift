import COpenSSL

/// The library behind this target: set up once, at the first use, without its configuration file.
///
/// Not reading the file keeps the first call short and a static executable free of modules that
/// the machine's configuration might name.
enum OpenSSLLibrary {
  /// Touch before any fetch. Safe from several threads at once.
  static let ready: Bool =
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1

  /// Throws for a return code that is not 1, as OpenSSL's calls give for failure.
  static func check(_ code: Int32, _ call: String) throws(CryptoError) {
    guard code == 1 else { throw .library(call: call) }
  }

  /// Unwraps what an allocating or fetching call gave.
  static func check(
    _ pointer: OpaquePointer?, _ call: String
  ) throws(CryptoError) -> OpaquePointer {
    guard let pointer = unsafe pointer else { throw .library(call: call) }
    return unsafe pointer
  }
}

/// A cipher, digest or MAC of the library, fetched once and kept for the life of the process.
///
/// Fetching by name costs about 450 ns; every context here is started from a kept one.
/// `@unchecked Sendable`: the object is immutable and reference counted by the library.
@safe struct FetchedAlgorithm: @unchecked Sendable {
  let pointer: OpaquePointer?

  static let aes128CTR = cipher("AES-128-CTR")
  static let aes192CTR = cipher("AES-192-CTR")
  static let aes256CTR = cipher("AES-256-CTR")
  static let aes128GCM = cipher("AES-128-GCM")
  static let aes192GCM = cipher("AES-192-GCM")
  static let aes256GCM = cipher("AES-256-GCM")
  static let sha256 = digest("SHA256")
  static let md5 = digest("MD5")
  static let hmac = unsafe FetchedAlgorithm(
    pointer: OpenSSLLibrary.ready ? EVP_MAC_fetch(nil, "HMAC", nil) : nil)

  private static func cipher(_ name: String) -> FetchedAlgorithm {
    unsafe FetchedAlgorithm(
      pointer: OpenSSLLibrary.ready ? EVP_CIPHER_fetch(nil, name, nil) : nil)
  }

  private static func digest(_ name: String) -> FetchedAlgorithm {
    unsafe FetchedAlgorithm(pointer: OpenSSLLibrary.ready ? EVP_MD_fetch(nil, name, nil) : nil)
  }
}
