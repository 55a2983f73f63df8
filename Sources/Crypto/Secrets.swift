import COpenSSL

/// Overwrites secret bytes with zeroes in place; the compiler cannot drop it.
///
/// Reaches this array's storage only: a copy that someone else still holds keeps its bytes.
package func wipe(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { buffer in
    unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
  }
}
