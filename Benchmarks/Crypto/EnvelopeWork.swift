import Crypto

/// Encryption that notices a change: GCM, and what the blobs of `durable` are made of.
final class EnvelopeWork {
  enum Work: String, CaseIterable {
    case gcmSeal = "AES-GCM, seal"
    case gcmOpen = "AES-GCM, open"
    case hmacSeal = "CTR and HMAC, seal"
    case hmacOpen = "CTR and HMAC, open"
    /// With the two keys derived for this message, as `durable` does.
    case durableSeal = "HKDF, CTR and HMAC, seal"
  }

  let bytes: Int
  private var gcm: AESGCM
  private var mode: AESCounterMode
  private var hmac: HMACSHA256
  private var message: [UInt8]
  private let sealed: AESGCM.Sealed
  private let code: [UInt8]
  private let key = [UInt8](repeating: 7, count: 32)
  private let nonce = [UInt8](repeating: 1, count: 12)
  private let counter = AESCounterMode.counterBlock(1)

  init(bytes: Int) throws {
    self.bytes = bytes
    gcm = try AESGCM()
    mode = try AESCounterMode()
    hmac = try HMACSHA256(key: [])
    message = [UInt8](repeating: 0x61, count: bytes)
    sealed = try gcm.seal(message, key: key, nonce: nonce)
    code = try HMACSHA256.code(for: message, key: key)
  }

  func perform(_ work: Work) throws(CryptoError) {
    switch work {
    case .gcmSeal: _ = try gcm.seal(message, key: key, nonce: nonce)
    case .gcmOpen: _ = try gcm.open(sealed, key: key, nonce: nonce)
    case .hmacSeal:
      let key = key
      try seal(encryption: key.span, authentication: key.span)
    case .hmacOpen:
      // The message stays what its code is of: it is taken for a ciphertext.
      guard try HMACSHA256.isCode(code, for: message, key: key) else { throw .notAuthentic }
      var plain = message
      try mode.apply(to: &plain, key: key, counter: counter)
    case .durableSeal:
      let (secret, salt, info) = (key, key, nonce)
      let keys = try HKDF.derive(
        from: secret.span, salt: salt.span, info: info.span, count: 64, by: &hmac)
      try seal(
        encryption: keys.span.extracting(0..<32), authentication: keys.span.extracting(32..<64))
    }
  }

  private func seal(
    encryption: Span<UInt8>, authentication: Span<UInt8>
  ) throws(CryptoError) {
    var ciphertext = message
    try mode.start(key: encryption, counter: counter)
    try mode.apply(to: &ciphertext)
    mode.forget()
    try hmac.setKey(authentication)
    try hmac.update(ciphertext.span)
    try hmac.finish(onto: &ciphertext)
    hmac.forget()
  }
}
