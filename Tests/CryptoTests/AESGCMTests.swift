import Crypto
import Testing

/// One case of the GCM specification that NIST SP 800-38D builds on.
struct GCMVector: Sendable, CustomTestStringConvertible {
  var number: Int
  var key: String
  var nonce = "cafebabefacedbaddecaf888"
  var plaintext = ""
  var additional = ""
  var ciphertext = ""
  var tag: String

  var testDescription: String { "case \(number)" }

  static let long =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
  static let key256 = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
  static let additional = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
  static let zeroes = String(repeating: "00", count: 16)
  static let zeroNonce = String(repeating: "00", count: 12)

  static let all = [
    GCMVector(
      number: 1, key: zeroes, nonce: zeroNonce, tag: "58e2fccefa7e3061367f1d57a4e7455a"),
    GCMVector(
      number: 2, key: zeroes, nonce: zeroNonce, plaintext: zeroes,
      ciphertext: "0388dace60b6a392f328c2b971b2fe78", tag: "ab6e47d42cec13bdf53a67b21257bddf"),
    GCMVector(
      number: 4, key: "feffe9928665731c6d6a8f9467308308", plaintext: long, additional: additional,
      ciphertext: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
      tag: "5bc94fbc3221a5db94fae95ae7121a47"),
    GCMVector(
      number: 5, key: "feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbad",
      plaintext: long, additional: additional,
      ciphertext: "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423"
        + "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
      tag: "3612d2e79e3b0785561be14aaca2fccb"),
    GCMVector(
      number: 6, key: "feffe9928665731c6d6a8f9467308308",
      nonce: "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
        + "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
      plaintext: long, additional: additional,
      ciphertext: "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7"
        + "01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
      tag: "619cc5aefffe0bfa462af43c1699d050"),
    GCMVector(
      number: 8, key: String(repeating: "00", count: 24), nonce: zeroNonce, plaintext: zeroes,
      ciphertext: "98e7247c07f0fe411c267e4384b0f600", tag: "2ff58d80033927ab8ef4d4587514f0fb"),
    GCMVector(
      number: 13, key: zeroes + zeroes, nonce: zeroNonce,
      tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    GCMVector(
      number: 14, key: zeroes + zeroes, nonce: zeroNonce, plaintext: zeroes,
      ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    GCMVector(
      number: 15, key: key256, plaintext: long + "1aafd255",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    GCMVector(
      number: 16, key: key256, plaintext: long, additional: additional,
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]
}

@Suite struct `AES in Galois/counter mode` {
  @Test(arguments: GCMVector.all)
  func `agrees with the vectors behind NIST SP 800-38D`(vector: GCMVector) throws {
    var cipher = try AESGCM()
    let sealed = try cipher.seal(
      bytes(vector.plaintext), key: bytes(vector.key), nonce: bytes(vector.nonce),
      authenticating: bytes(vector.additional))
    #expect(try sealed.ciphertext == bytes(vector.ciphertext))
    #expect(try sealed.tag == bytes(vector.tag))
    let opened = try cipher.open(
      sealed, key: bytes(vector.key), nonce: bytes(vector.nonce),
      authenticating: bytes(vector.additional))
    #expect(try opened == bytes(vector.plaintext))
  }

  @Test func `opens what it sealed, with one context for all sizes and directions`() throws {
    var cipher = try AESGCM()
    var draws = Draws(state: 3)
    for length in [0, 1, 15, 16, 17, 100, 4096] {
      for keyBytes in [16, 24, 32] {
        let key = draws.bytes(keyBytes)
        let nonce = draws.bytes(length.isMultiple(of: 2) ? 12 : 16)
        let text = draws.bytes(length)
        let sealed = try cipher.seal(text, key: key, nonce: nonce, authenticating: [1, 2])
        #expect(
          try cipher.open(sealed, key: key, nonce: nonce, authenticating: [1, 2]) == text)
      }
    }
  }

  @Test func `refuses any change of text, tag, nonce, key or additional data`() throws {
    var cipher = try AESGCM()
    let key = [UInt8](repeating: 5, count: 32)
    let nonce = [UInt8](repeating: 6, count: 12)
    let sealed = try cipher.seal(ascii("a session"), key: key, nonce: nonce, authenticating: [7])
    func expectRefused(_ what: String, _ open: (inout AESGCM) throws(CryptoError) -> [UInt8]) {
      do throws(CryptoError) {
        _ = try open(&cipher)
        Issue.record("\(what) was accepted")
      } catch {
        #expect(error == .notAuthentic, "\(what)")
      }
    }
    for bit in 0..<(9 * 8) {
      var changed = sealed
      changed.ciphertext[bit / 8] ^= 1 << (bit % 8)
      expectRefused("text bit \(bit)") { cipher throws(CryptoError) in
        try cipher.open(changed, key: key, nonce: nonce, authenticating: [7])
      }
    }
    for bit in 0..<(16 * 8) {
      var changed = sealed
      changed.tag[bit / 8] ^= 1 << (bit % 8)
      expectRefused("tag bit \(bit)") { cipher throws(CryptoError) in
        try cipher.open(changed, key: key, nonce: nonce, authenticating: [7])
      }
    }
    var short = sealed
    short.tag.removeLast()
    expectRefused("a short tag") { cipher throws(CryptoError) in
      try cipher.open(short, key: key, nonce: nonce, authenticating: [7])
    }
    expectRefused("other additional data") { cipher throws(CryptoError) in
      try cipher.open(sealed, key: key, nonce: nonce, authenticating: [8])
    }
    expectRefused("another nonce") { cipher throws(CryptoError) in
      try cipher.open(
        sealed, key: key, nonce: [UInt8](repeating: 7, count: 12), authenticating: [7])
    }
    expectRefused("another key") { cipher throws(CryptoError) in
      try cipher.open(
        sealed, key: [UInt8](repeating: 4, count: 32), nonce: nonce, authenticating: [7])
    }
    #expect(
      try cipher.open(sealed, key: key, nonce: nonce, authenticating: [7]) == ascii("a session"))
  }

  @Test func `refuses sizes outside of the mode`() throws {
    var cipher = try AESGCM()
    #expect(throws: CryptoError.keySize(bytes: 20)) {
      try cipher.seal([], key: [UInt8](repeating: 0, count: 20), nonce: [0])
    }
    for size in [0, 129] {
      #expect(throws: CryptoError.nonceSize(bytes: size)) {
        try cipher.seal(
          [], key: [UInt8](repeating: 0, count: 32), nonce: [UInt8](repeating: 0, count: size))
      }
    }
  }
}
