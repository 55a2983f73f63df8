/// The library of small devices.
@safe final class MbedTLSCipher: CounterCipher {
  static let name = "mbedtls"
  let name: String = MbedTLSCipher.name
  private let schedule: UnsafeMutableRawPointer
  private let set: SetKey
  private let crypt: Crypt

  private typealias SetKey =
    @convention(c) (
      UnsafeMutableRawPointer, UnsafePointer<UInt8>, UInt32
    ) -> Int32
  private typealias Crypt =
    @convention(c) (
      UnsafeMutableRawPointer, Int, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt8>,
      UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>?, UnsafeMutablePointer<UInt8>?
    ) -> Int32

  /// As `mbedtls/aes.h` declares the calls, of versions 2 and 3.
  init?(_ library: SharedLibrary) {
    typealias Start = @convention(c) (UnsafeMutableRawPointer) -> Void
    guard let start = unsafe library.function("mbedtls_aes_init", as: Start.self),
      let set = unsafe library.function("mbedtls_aes_setkey_enc", as: SetKey.self),
      let crypt = unsafe library.function("mbedtls_aes_crypt_ctr", as: Crypt.self)
    else { return nil }
    // `mbedtls_aes_context` is less than 300 bytes.
    unsafe schedule = .allocate(byteCount: 1024, alignment: 64)
    unsafe (self.set, self.crypt) = (set, crypt)
    unsafe start(schedule)
  }

  deinit { unsafe schedule.deallocate() }

  func setKey(_ key: [UInt8]) throws(BenchmarkError) {
    try check(unsafe set(schedule, key, UInt32(key.count * 8)))
  }

  func apply(to message: inout [UInt8], counter: [UInt8]) throws(BenchmarkError) {
    // The call goes on from where these say, and moves them.
    var (offset, counter, block) = (0, counter, [UInt8](repeating: 0, count: 16))
    let count = message.count
    let code = unsafe message.withUnsafeMutableBufferPointer {
      unsafe crypt(
        schedule, count, &offset, &counter, &block, $0.baseAddress, $0.baseAddress)
    }
    try check(code)
  }

  private func check(_ code: Int32) throws(BenchmarkError) {
    guard code == 0 else { throw .implementation(name, reason: "error \(code)") }
  }
}
