import CLinux

/// The memory of this process that the allocator has handed out.
package enum Heap {
  /// Bytes that are in use, of all arenas, with the mapped ones.
  package static var bytesInUse: Int {
    let info = mallinfo2()
    return Int(info.uordblks) + Int(info.hblkhd)
  }
}
