import COpenSSL

/// Overwrites secret bytes with zeroes in place; the compiler cannot drop it.
///
/// Reaches this array's storage only: a copy that someone else still holds keeps its bytes.
package func wipe(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { buffer in
    unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
  }
}

/// Compares without a duration that tells where the first difference is; lengths are not secret.
package func equalInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  guard one.count == other.count else { return false }
  return unsafe CRYPTO_memcmp(one, other, one.count) == 0
}
