/// OpenSSL's EVP interface in three habits, called as a C program would.
@safe final class OpenSSLCipher: CounterCipher {
  enum Habit: String, CaseIterable {
    /// The cipher is fetched once, and one context serves all messages.
    case keptContext = "OpenSSL, context kept"
    /// The cipher is fetched once; each message has a context.
    case newContext = "OpenSSL, new context"
    /// Each message has a context, for which `EVP_aes_256_ctr()` is fetched: what tutorials show.
    case fetchedAnew = "OpenSSL, fetched anew"
  }

  static let fileNames = ["libcrypto.so.3", "libcrypto.so.4"]
  let name: String
  var keepsKey: Bool { habit == .keptContext }
  private let habit: Habit
  private let functions: Functions
  private let fetched: OpaquePointer
  private let implicit: OpaquePointer
  private let kept: OpaquePointer
  private var key: [UInt8] = []

  /// - Returns: `nil` when the library lacks a function or the cipher.
  init?(_ habit: Habit, in library: SharedLibrary) {
    guard let functions = Functions(library),
      let fetched = unsafe functions.fetch(nil, "AES-256-CTR", nil),
      let implicit = unsafe functions.builtIn(), let kept = unsafe functions.makeContext()
    else { return nil }
    name = habit.rawValue
    self.habit = habit
    self.functions = functions
    unsafe (self.fetched, self.implicit, self.kept) = (fetched, implicit, kept)
  }

  deinit {
    unsafe functions.freeContext(kept)
    unsafe functions.freeCipher(fetched)
  }

  func setKey(_ key: [UInt8]) throws(BenchmarkError) {
    guard habit == .keptContext else {
      self.key = key
      return
    }
    try check(unsafe functions.start(kept, fetched, nil, key, nil))
  }

  func apply(to message: inout [UInt8], counter: [UInt8]) throws(BenchmarkError) {
    switch habit {
    case .keptContext:
      try check(unsafe functions.start(kept, nil, nil, nil, counter))
      try unsafe update(kept, &message)
    case .newContext, .fetchedAnew:
      guard let context = unsafe functions.makeContext() else {
        throw .implementation(name, reason: "no memory")
      }
      defer { unsafe functions.freeContext(context) }
      let cipher = unsafe habit == .newContext ? fetched : implicit
      try check(unsafe functions.start(context, cipher, nil, key, counter))
      try unsafe update(context, &message)
    }
  }

  private func update(_ context: OpaquePointer, _ message: inout [UInt8]) throws(BenchmarkError) {
    let count = Int32(message.count)
    let code = unsafe message.withUnsafeMutableBufferPointer { buffer in
      var written: Int32 = 0
      return unsafe functions.update(
        context, buffer.baseAddress, &written, buffer.baseAddress, count)
    }
    try check(code)
  }

  private func check(_ code: Int32) throws(BenchmarkError) {
    guard code == 1 else { throw .implementation(name, reason: "a call of EVP failed") }
  }

  /// As `openssl/evp.h` declares them.
  @safe private struct Functions {
    typealias Start =
      @convention(c) (
        OpaquePointer, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?
      ) -> Int32
    typealias Update =
      @convention(c) (
        OpaquePointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>,
        UnsafePointer<UInt8>?, Int32
      ) -> Int32
    typealias Fetch =
      @convention(c) (
        OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>?
      ) -> OpaquePointer?

    let fetch: Fetch
    let builtIn: @convention(c) () -> OpaquePointer?
    let freeCipher: @convention(c) (OpaquePointer) -> Void
    let makeContext: @convention(c) () -> OpaquePointer?
    let freeContext: @convention(c) (OpaquePointer) -> Void
    let start: Start
    let update: Update

    init?(_ library: SharedLibrary) {
      typealias Make = @convention(c) () -> OpaquePointer?
      typealias Free = @convention(c) (OpaquePointer) -> Void
      guard let fetch = unsafe library.function("EVP_CIPHER_fetch", as: Fetch.self),
        let builtIn = unsafe library.function("EVP_aes_256_ctr", as: Make.self),
        let freeCipher = unsafe library.function("EVP_CIPHER_free", as: Free.self),
        let makeContext = unsafe library.function("EVP_CIPHER_CTX_new", as: Make.self),
        let freeContext = unsafe library.function("EVP_CIPHER_CTX_free", as: Free.self),
        let start = unsafe library.function("EVP_EncryptInit_ex", as: Start.self),
        let update = unsafe library.function("EVP_EncryptUpdate", as: Update.self)
      else { return nil }
      unsafe (self.fetch, self.builtIn, self.freeCipher) = (fetch, builtIn, freeCipher)
      unsafe (self.makeContext, self.freeContext) = (makeContext, freeContext)
      unsafe (self.start, self.update) = (start, update)
    }
  }
}
