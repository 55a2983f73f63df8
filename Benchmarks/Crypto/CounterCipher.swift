import Crypto

/// One implementation of AES-256 in counter mode, over the whole 16-byte block.
protocol CounterCipher: AnyObject {
  var name: String { get }
  /// Whether a key serves many messages; where it does not, each message brings one.
  var keepsKey: Bool { get }

  func setKey(_ key: [UInt8]) throws(BenchmarkError)

  /// Encrypts in place under the key that was set, from a counter block of 16 bytes on.
  func apply(to message: inout [UInt8], counter: [UInt8]) throws(BenchmarkError)

  /// Ends the use of the key as this implementation has to.
  func forget()

  /// The same message many times under one key; a requirement, so that each implementation has a
  /// loop of its own, without a dynamic call in it.
  func keepKey(
    _ times: Int, _ message: inout [UInt8], counter: [UInt8]
  ) throws(BenchmarkError)

  /// The same with a key for each message.
  func changeKey(
    _ times: Int, _ message: inout [UInt8], key: [UInt8], counter: [UInt8]
  ) throws(BenchmarkError)
}

extension CounterCipher {
  var keepsKey: Bool { true }

  func forget() {}

  func keepKey(
    _ times: Int, _ message: inout [UInt8], counter: [UInt8]
  ) throws(BenchmarkError) {
    for _ in 0..<times { try apply(to: &message, counter: counter) }
  }

  func changeKey(
    _ times: Int, _ message: inout [UInt8], key: [UInt8], counter: [UInt8]
  ) throws(BenchmarkError) {
    for _ in 0..<times {
      try setKey(key)
      try apply(to: &message, counter: counter)
      forget()
    }
  }
}

/// The lab's own kernel. Its round keys are overwritten after each message that brought a key.
final class KernelCipher: CounterCipher {
  let name: String
  private var kernel: AESKernel

  init(_ width: AESKernel.Width) {
    name = Self.name(width)
    kernel = AESKernel(width)
  }

  static func name(_ width: AESKernel.Width) -> String {
    switch width {
    case .narrow: "kernel, AES-NI 8x128"
    case .wide: "kernel, VAES 8x256"
    }
  }

  func setKey(_ key: [UInt8]) { kernel.setKey(key) }
  func apply(to message: inout [UInt8], counter: [UInt8]) {
    kernel.apply(to: &message, counter: counter)
  }
  func forget() { kernel.forget() }

  func changeKey(
    _ times: Int, _ message: inout [UInt8], key: [UInt8], counter: [UInt8]
  ) {
    Self.changeKey(of: &kernel, times, &message, key, counter)
  }

  /// Borrows the kernel once: what Swift does to guard a property is no part of it, and takes longer than
  /// a key.
  private static func changeKey(
    of kernel: inout AESKernel, _ times: Int, _ message: inout [UInt8], _ key: [UInt8],
    _ counter: [UInt8]
  ) {
    for _ in 0..<times {
      kernel.setKey(key)
      kernel.apply(to: &message, counter: counter)
      kernel.forget()
    }
  }
}

/// What the stores call: OpenSSL with a kept context.
///
/// A store takes a key for each message, and overwrites it after it. With a key kept this is one
/// message in pieces, as `openssl speed` has it; the others set the counter for each.
final class StoreCipher: CounterCipher {
  static let name = "the stores' (OpenSSL)"
  let name: String = StoreCipher.name
  private var mode: AESCounterMode
  private var key: [UInt8] = []

  init() throws(CryptoError) { mode = try AESCounterMode() }

  func setKey(_ key: [UInt8]) { self.key = key }

  func apply(to message: inout [UInt8], counter: [UInt8]) throws(BenchmarkError) {
    do throws(CryptoError) {
      try mode.apply(to: &message, key: key, counter: counter)
    } catch {
      throw .implementation(name, reason: "\(error)")
    }
  }

  func keepKey(
    _ times: Int, _ message: inout [UInt8], counter: [UInt8]
  ) throws(BenchmarkError) {
    do throws(CryptoError) {
      try mode.start(key: key.span, counter: counter)
      defer { mode.forget() }
      for _ in 0..<times { try mode.apply(to: &message) }
    } catch {
      throw .implementation(name, reason: "\(error)")
    }
  }
}
