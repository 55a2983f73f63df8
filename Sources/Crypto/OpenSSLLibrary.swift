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

/// Which library this target calls, in its own words: `OpenSSL 3.0.22 25 Aug 2026`.
package let cryptoLibraryVersion = unsafe String(cString: OpenSSL_version(OPENSSL_VERSION))
