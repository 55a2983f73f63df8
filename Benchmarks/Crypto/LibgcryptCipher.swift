/// GnuPG's library.
@safe final class LibgcryptCipher: CounterCipher {
  static let name = "libgcrypt"
  let name: String = LibgcryptCipher.name
  private let handle: OpaquePointer
  private let close: @convention(c) (OpaquePointer) -> Void
  private let set: SetBytes
  private let setCounter: SetBytes
  private let encrypt: Encrypt

  private typealias SetBytes = @convention(c) (OpaquePointer, UnsafePointer<UInt8>, Int) -> UInt32
  private typealias Encrypt =
    @convention(c) (
      OpaquePointer, UnsafeMutablePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int
    ) -> UInt32

  /// As `gcrypt.h` declares the calls.
  init?(_ library: SharedLibrary) {
    typealias Check = @convention(c) (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
    typealias Open =
      @convention(c) (
        UnsafeMutablePointer<OpaquePointer?>, Int32, Int32, UInt32
      ) -> UInt32
    typealias Close = @convention(c) (OpaquePointer) -> Void
    guard let check = unsafe library.function("gcry_check_version", as: Check.self),
      let open = unsafe library.function("gcry_cipher_open", as: Open.self),
      let close = unsafe library.function("gcry_cipher_close", as: Close.self),
      let set = unsafe library.function("gcry_cipher_setkey", as: SetBytes.self),
      let setCounter = unsafe library.function("gcry_cipher_setctr", as: SetBytes.self),
      let encrypt = unsafe library.function("gcry_cipher_encrypt", as: Encrypt.self),
      // The first call of the library, which sets it up.
      unsafe check(nil) != nil
    else { return nil }
    var handle: OpaquePointer?
    let (aes256, counterMode): (Int32, Int32) = (9, 6)
    guard unsafe open(&handle, aes256, counterMode, 0) == 0, let handle = unsafe handle else {
      return nil
    }
    unsafe (self.handle, self.close) = (handle, close)
    unsafe (self.set, self.setCounter, self.encrypt) = (set, setCounter, encrypt)
  }

  deinit { unsafe close(handle) }

  func setKey(_ key: [UInt8]) throws(BenchmarkError) {
    try check(unsafe set(handle, key, key.count))
  }

  func apply(to message: inout [UInt8], counter: [UInt8]) throws(BenchmarkError) {
    try check(unsafe setCounter(handle, counter, counter.count))
    let count = message.count
    let code = unsafe message.withUnsafeMutableBufferPointer {
      unsafe encrypt(handle, $0.baseAddress, count, nil, 0)
    }
    try check(code)
  }

  private func check(_ code: UInt32) throws(BenchmarkError) {
    guard code == 0 else { throw .implementation(name, reason: "error \(code)") }
  }
}
