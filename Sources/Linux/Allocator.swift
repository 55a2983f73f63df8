import CLinux

/// The allocator of this process.
package enum Allocator {
  /// Lets it keep freed memory for the next use instead of giving it back at once: fresh pages cost
  /// more than the writes that fill them.
  package static func keepFreed(bytes: Int) {
    _ = clinux_keep_freed_bytes(Int32(clamping: bytes))
  }
}
