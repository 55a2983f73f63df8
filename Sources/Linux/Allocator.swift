import CLinux

/// The allocator of this process.
package enum Allocator {
  /// As much as an app on a mounted phone writes between two syncs.
  private static let stepBytes: Int32 = 16 << 20

  /// Lets all threads share one heap, which grows in large steps and keeps as much of what is freed for
  /// the next use: fresh pages cost more than the writes that fill them.
  ///
  /// To be called while there is one thread.
  package static func shareHeap() {
    _ = clinux_one_heap(stepBytes)
  }
}
