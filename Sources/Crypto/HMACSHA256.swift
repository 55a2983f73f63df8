import COpenSSL

/// HMAC with SHA-256 (RFC 2104), under one key for any number of messages.
///
/// What the paddings of the key leave of the digest is kept, so that a message costs its own blocks
/// and two others. It takes no context and no fetch of the library's, which over a short message
/// cost several times as much as the digest. The key and all that follows from it is overwritten
/// by ``forget()``, and when the value ends. Must not be used from two threads at once.
@safe package struct HMACSHA256: ~Copyable {
  package static let codeBytes = 32
  private static let blockBytes = 64

  /// Three digests, and the block.
  private let memory: UnsafeMutableRawPointer
  private static let memoryBytes = 3 * MemoryLayout<SHA256_CTX>.stride + blockBytes
  /// Behind the inner padding.
  private let inner: UnsafeMutablePointer<SHA256_CTX>
  /// Behind the outer one.
  private let outer: UnsafeMutablePointer<SHA256_CTX>
  /// Of the message at hand.
  private let message: UnsafeMutablePointer<SHA256_CTX>
  /// Room for a padded key, and for the result of a digest.
  private let block: UnsafeMutablePointer<UInt8>

  /// Takes a key of any number of bytes, none included.
  package init(key: [UInt8]) throws(CryptoError) {
    unsafe memory = .allocate(byteCount: Self.memoryBytes, alignment: 16)
    unsafe inner = memory.initializeMemory(as: SHA256_CTX.self, repeating: SHA256_CTX(), count: 3)
    unsafe outer = inner + 1
    unsafe message = inner + 2
    unsafe block = UnsafeMutableRawPointer(inner + 3).initializeMemory(
      as: UInt8.self, repeating: 0, count: Self.blockBytes)
    try setKey(key.span)
  }

  deinit {
    forget()
    unsafe memory.deallocate()
  }

  /// Overwrites the key and all that follows from it; the value then needs another one.
  package func forget() { unsafe OPENSSL_cleanse(memory, Self.memoryBytes) }

  /// Goes on with another key and a new message.
  package mutating func setKey(_ key: Span<UInt8>) throws(CryptoError) {
    unsafe block.update(repeating: 0, count: Self.blockBytes)
    if key.count > Self.blockBytes {
      unsafe try OpenSSLLibrary.check(SHA256_Init(message), "SHA256_Init")
      try update(key)
      unsafe try OpenSSLLibrary.check(SHA256_Final(block, message), "SHA256_Final")
    } else {
      for index in key.indices { unsafe block[index] = key[index] }
    }
    try unsafe start(inner, padding: 0x36)
    // Takes the first padding away, too.
    try unsafe start(outer, padding: 0x36 ^ 0x5c)
    unsafe message.pointee = inner.pointee
  }

  /// Starts a digest with the key in the block, xor a padding, which stays there.
  private func start(
    _ digest: UnsafeMutablePointer<SHA256_CTX>, padding: UInt8
  ) throws(CryptoError) {
    for index in 0..<Self.blockBytes { unsafe block[index] ^= padding }
    unsafe try OpenSSLLibrary.check(SHA256_Init(digest), "SHA256_Init")
    unsafe try OpenSSLLibrary.check(
      SHA256_Update(digest, block, Self.blockBytes), "SHA256_Update")
  }

  /// Takes the next piece of a message.
  package mutating func update(_ piece: Span<UInt8>) throws(CryptoError) {
    let code = unsafe piece.withUnsafeBufferPointer { bytes in
      unsafe SHA256_Update(message, bytes.baseAddress, bytes.count)
    }
    try OpenSSLLibrary.check(code, "SHA256_Update")
  }

  /// Puts the 32-byte code of the message of all pieces behind other bytes; the next piece starts a
  /// new message.
  package mutating func finish(onto bytes: inout [UInt8]) throws(CryptoError) {
    unsafe try OpenSSLLibrary.check(SHA256_Final(block, message), "SHA256_Final")
    unsafe message.pointee = outer.pointee
    unsafe try OpenSSLLibrary.check(
      SHA256_Update(message, block, Self.codeBytes), "SHA256_Update")
    unsafe try OpenSSLLibrary.check(SHA256_Final(block, message), "SHA256_Final")
    unsafe message.pointee = inner.pointee
    unsafe bytes += UnsafeBufferPointer(start: block, count: Self.codeBytes)
  }

  /// The 32-byte code of a message.
  package mutating func code(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try update(message.span)
    var code: [UInt8] = []
    try finish(onto: &code)
    return code
  }

  /// The code of one message under a key that is not kept.
  package static func code(
    for message: [UInt8], key: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    var hmac = try HMACSHA256(key: key)
    return try hmac.code(for: message)
  }

  /// Whether a code is that of a message, found out in a time that depends on sizes only.
  package mutating func isCode(
    _ code: Span<UInt8>, for message: Span<UInt8>
  ) throws(CryptoError) -> Bool {
    try update(message)
    var right: [UInt8] = []
    try finish(onto: &right)
    return unsafe code.withUnsafeBufferPointer { code in
      unsafe code.count == right.count
        && CRYPTO_memcmp(code.baseAddress, right, right.count) == 0
    }
  }

  /// The same under a key that is not kept.
  package static func isCode(
    _ code: [UInt8], for message: [UInt8], key: [UInt8]
  ) throws(CryptoError) -> Bool {
    var hmac = try HMACSHA256(key: key)
    return try hmac.isCode(code.span, for: message.span)
  }
}
