import CLinux

/// The allocator of this process.
package enum Allocator {
  /// Lets the threads that start from now on share one heap, which grows by so many bytes at a time and
  /// keeps as many of those freed for the next use: fresh pages cost more than the writes that fill
  /// them.
  package static func shareHeap(stepBytes: Int) {
    _ = clinux_one_heap(Int32(clamping: stepBytes))
  }
}
