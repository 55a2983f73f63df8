import CAESKernel

/// AES-256 in counter mode as fast as the processor can do it: what benchmarks measure a library by.
///
/// No store uses it: theirs is ``AESCounterMode``. It has no path for processors without AES
/// instructions, nor for other families than x86-64. The counter is the whole 16-byte block,
/// big-endian, and wraps from all ones to zero. The round keys are overwritten when the value ends
/// and before another key is taken. Must not be used from two threads at once.
@safe package struct AESKernel: ~Copyable {
  /// The registers in which it encrypts: eight at a time.
  package enum Width: Sendable, CaseIterable {
    /// One block in a register: AES-NI.
    case narrow
    /// Two: VAES.
    case wide

    fileprivate var code: caes_width {
      switch self {
      case .narrow: caes_128
      case .wide: caes_256
      }
    }
  }

  /// What this processor has, the widest last; none where the kernel cannot run.
  package static var widths: [Width] {
    let widest = caes_widest().rawValue
    return Width.allCases.filter { $0.code.rawValue <= widest }
  }

  package static let keyBytes = 32
  package let width: Width
  private let schedule: UnsafeMutablePointer<caes_schedule>

  /// A kernel without a key; `width` is one of ``widths``.
  package init(_ width: Width) {
    precondition(Self.widths.contains(width), "this processor has such registers")
    self.width = width
    unsafe schedule = .allocate(capacity: 1)
  }

  deinit {
    forget()
    unsafe schedule.deallocate()
  }

  /// Expands a key of ``keyBytes``.
  package mutating func setKey(_ key: [UInt8]) {
    precondition(key.count == Self.keyBytes, "AES-256 has keys of 32 bytes")
    unsafe caes_expand(schedule, key)
  }

  /// Overwrites the round keys.
  package func forget() { unsafe caes_wipe(schedule) }

  /// Encrypts or decrypts in place, from a counter block of 16 bytes on.
  package mutating func apply(to bytes: inout [UInt8], counter: [UInt8]) {
    precondition(counter.count == 16, "a counter block has 16 bytes")
    let count = bytes.count
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe caes_apply(width.code, schedule, counter, base, base, count)
    }
  }

  /// Does nothing but AES rounds, as many at once as the processor can.
  ///
  /// - Returns: How many rounds of one block that were.
  package static func rounds(_ width: Width, repetitions: Int) -> Int {
    Int(caes_rounds(width.code, UInt64(repetitions)))
  }

  /// Waits for one cycle of the processor after the other.
  ///
  /// - Returns: How many.
  package static func cycles(repetitions: Int) -> Int { Int(caes_cycles(UInt64(repetitions))) }
}
