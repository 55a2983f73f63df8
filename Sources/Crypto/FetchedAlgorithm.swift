import COpenSSL

/// A cipher or digest of the library, fetched once and kept for the life of the process.
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
  static let sha224 = digest("SHA224")
  static let md5 = digest("MD5")

  private static func cipher(_ name: String) -> FetchedAlgorithm {
    unsafe FetchedAlgorithm(
      pointer: OpenSSLLibrary.ready ? EVP_CIPHER_fetch(nil, name, nil) : nil)
  }

  private static func digest(_ name: String) -> FetchedAlgorithm {
    unsafe FetchedAlgorithm(pointer: OpenSSLLibrary.ready ? EVP_MD_fetch(nil, name, nil) : nil)
  }
}
