import Glibc

/// Where 32 bytes for a key may come from.
struct RandomSources {
  static let bytes = 32
  static let virtual = "getrandom, vDSO"
  static let systemCall = "getrandom, system call"
  static let library = "RAND_bytes"
  static let standardLibrary = "SystemRandomNumberGenerator"
  static let names = [virtual, systemCall, library, standardLibrary]

  /// Each fills as many keys as it is told; a key is 32 bytes.
  let sources: [(name: String, draw: (_ count: Int) -> Void)]

  init() {
    var sources: [(name: String, draw: (Int) -> Void)] = []
    if let virtual = VirtualRandom() { sources.append((Self.virtual, { virtual.draw($0) })) }
    sources.append((Self.systemCall, Self.call))
    typealias RandBytes = @convention(c) (UnsafeMutablePointer<UInt8>, Int32) -> Int32
    if let library = SharedLibrary(OpenSSLCipher.fileNames),
      let rand = unsafe library.function("RAND_bytes", as: RandBytes.self)
    {
      sources.append(
        (
          Self.library,
          { count in
            var key = [UInt8](repeating: 0, count: Self.bytes)
            for _ in 0..<count { _ = unsafe rand(&key, Int32(Self.bytes)) }
          }
        ))
    }
    sources.append((Self.standardLibrary, Self.generate))
    self.sources = sources
  }

  private static func call(_ count: Int) {
    var key = [UInt8](repeating: 0, count: bytes)
    for _ in 0..<count { _ = unsafe getentropy(&key, bytes) }
  }

  private static func generate(_ count: Int) {
    var generator = SystemRandomNumberGenerator()
    var sum: UInt64 = 0
    for _ in 0..<(count * 4) { sum ^= generator.next() }
    withExtendedLifetime(sum) {}
  }
}

/// The kernel's generator without a system call: `__vdso_getrandom`, from Linux 6.11 on.
///
/// The code lies in every process; its state is a page that is mapped as it asks, kept for the life
/// of the process.
@safe private struct VirtualRandom {
  private typealias Call =
    @convention(c) (
      UnsafeMutableRawPointer?, Int, UInt32, UnsafeMutableRawPointer?, Int
    ) -> Int

  private let call: Call
  private let state: UnsafeMutableRawPointer
  private let stateBytes: Int

  init?() {
    guard let library = SharedLibrary(["linux-vdso.so.1"]),
      let call = unsafe library.function("__vdso_getrandom", as: Call.self)
    else { return nil }
    // `struct vgetrandom_opaque_params`: size of the state, protection, flags, and 13 words.
    var wanted = [UInt32](repeating: 0, count: 16)
    guard unsafe call(nil, 0, 0, &wanted, -1) == 0,
      let page = unsafe mmap(nil, 4096, Int32(wanted[1]), Int32(wanted[2]), -1, 0),
      unsafe page != MAP_FAILED
    else { return nil }
    unsafe self.call = call
    unsafe state = page
    stateBytes = Int(wanted[0])
  }

  func draw(_ count: Int) {
    var key = [UInt8](repeating: 0, count: RandomSources.bytes)
    for _ in 0..<count {
      _ = unsafe call(&key, RandomSources.bytes, 0, state, stateBytes)
    }
  }
}
