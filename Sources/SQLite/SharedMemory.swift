import CSQLite
import Glibc

/// Memory that several connections map, each at an address of its own, as processes map one file.
@safe package final class SharedMemory {
  private let descriptor: Int32
  package private(set) var sizeBytes = 0

  /// - Throws: ``VFSError/noMemory`` when the system gives none.
  package init() throws(VFSError) {
    descriptor = csqlite_memory()
    guard descriptor >= 0 else { throw .noMemory }
  }

  deinit {
    close(descriptor)
  }

  /// Makes the memory at least as long; what is new is zero.
  package func grow(to length: Int) throws(VFSError) {
    guard length > sizeBytes else { return }
    guard ftruncate(descriptor, length) == 0 else { throw .noMemory }
    sizeBytes = length
  }

  /// A mapping of some of it; `place` keeps the address and makes the content private.
  fileprivate func map(
    _ range: Range<Int>, at place: UnsafeMutableRawPointer? = nil
  ) throws(VFSError) -> UnsafeMutableRawPointer {
    let sharing = unsafe place == nil ? MAP_SHARED : MAP_PRIVATE | MAP_FIXED
    let mapped = unsafe mmap(
      place, range.count, PROT_READ | PROT_WRITE, sharing, descriptor, range.lowerBound)
    guard unsafe mapped != MAP_FAILED, let address = unsafe mapped else { throw .noMemory }
    return unsafe address
  }
}

/// What one connection has mapped of a ``SharedMemory``. Unmapped with the value.
@safe package final class SharedMemoryMap {
  package let memory: SharedMemory
  private var regions: [UnsafeMutableRawPointer] = unsafe []
  private var regionBytes = 0
  private var isCutOff = false

  package init(_ memory: SharedMemory) {
    self.memory = memory
  }

  deinit {
    for index in unsafe regions.indices { unsafe munmap(regions[index], regionBytes) }
  }

  /// Maps all regions up to one; all are of one size, a multiple of the machine's pages.
  package func map(throughRegion last: Int, regionBytes: Int) throws(VFSError) {
    try memory.grow(to: (last + 1) * regionBytes)
    self.regionBytes = regionBytes
    while unsafe regions.count <= last {
      let start = unsafe regions.count * regionBytes
      unsafe regions.append(try memory.map(start..<start + regionBytes))
    }
  }

  /// Gives the connection a private copy, at the same addresses: nothing that it writes from now
  /// on reaches the others, and it sees nothing of theirs.
  package func cutOff() throws(VFSError) {
    guard !isCutOff else { return }
    isCutOff = true
    for index in unsafe regions.indices {
      let start = index * regionBytes
      unsafe _ = try memory.map(start..<start + regionBytes, at: regions[index])
    }
  }

  /// Fills the start of the memory with zeros, as far as it is mapped.
  package func clear(bytes count: Int) {
    guard let first = unsafe regions.first else { return }
    unsafe first.initializeMemory(as: UInt8.self, repeating: 0, count: min(count, regionBytes))
  }

  @unsafe func address(ofRegion index: Int) -> UnsafeMutableRawPointer? {
    unsafe index < regions.count ? regions[index] : nil
  }
}
