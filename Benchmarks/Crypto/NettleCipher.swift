/// GnuTLS's library: a block cipher, and a mode that takes it as a function.
@safe final class NettleCipher: CounterCipher {
  static let name = "nettle"
  let name: String = NettleCipher.name
  private let schedule: UnsafeMutableRawPointer
  private let set: SetKey
  private let encrypt: UnsafeMutableRawPointer
  private let crypt: Crypt

  private typealias SetKey = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<UInt8>) -> Void
  private typealias Crypt =
    @convention(c) (
      UnsafeRawPointer, UnsafeMutableRawPointer, Int, UnsafeMutablePointer<UInt8>, Int,
      UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?
    ) -> Void

  /// As `nettle/aes.h` and `nettle/ctr.h` declare the calls.
  init?(_ library: SharedLibrary) {
    guard let set = unsafe library.function("nettle_aes256_set_encrypt_key", as: SetKey.self),
      let encrypt = unsafe library.address("nettle_aes256_encrypt"),
      let crypt = unsafe library.function("nettle_ctr_crypt", as: Crypt.self)
    else { return nil }
    unsafe (self.set, self.encrypt, self.crypt) = (set, encrypt, crypt)
    // `struct aes256_ctx` is 240 bytes.
    unsafe schedule = .allocate(byteCount: 512, alignment: 64)
  }

  deinit { unsafe schedule.deallocate() }

  func setKey(_ key: [UInt8]) { unsafe set(schedule, key) }

  func apply(to message: inout [UInt8], counter: [UInt8]) {
    // The mode leaves the counter behind the message.
    var counter = counter
    let count = message.count
    unsafe message.withUnsafeMutableBufferPointer {
      unsafe crypt(schedule, encrypt, 16, &counter, count, $0.baseAddress, $0.baseAddress)
    }
  }
}
