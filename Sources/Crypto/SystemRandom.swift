import Glibc

/// Bytes of the kernel's generator, which nobody can guess: one system call for each 256 bytes.
///
/// For runs that can be replayed use a seeded `Entropy` instead. Blocks only early at boot, before
/// the kernel's pool is ready. Models `getrandom(2)`, through the C library's `getentropy`.
package func randomBytes(_ count: Int) -> [UInt8] {
  precondition(count >= 0, "a count of bytes is not negative")
  return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    while initialized < count {
      let piece = min(256, count - initialized)
      let at = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
      precondition(unsafe getentropy(at, piece) == 0, "the kernel has a generator")
      initialized += piece
    }
  }
}
