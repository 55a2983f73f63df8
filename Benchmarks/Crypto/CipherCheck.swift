import Crypto
import Ports

/// Whether all implementations give the same bytes, before anybody counts how fast they do.
enum CipherCheck {
  /// NIST SP 800-38A, F.5.5.
  private static let key = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
  private static let counter = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
  private static let plaintext =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
  private static let ciphertext =
    "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
    + "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"

  struct Case {
    var key: [UInt8]
    var counter: [UInt8]
    var message: [UInt8]
  }

  /// Messages whose counter carries into each of its 16 bytes, after 0, 1, … blocks.
  static let carries: [Case] = {
    let draws = SeededEntropy(seed: CryptoSuite.seed, stream: "carries")
    let key = draws.bytes(32)
    return (1...16).flatMap { carried in
      (UInt8(0)..<20).map { blocksBefore in
        var counter = [UInt8](repeating: 0x41, count: 16 - carried)
        counter += [UInt8](repeating: 0xff, count: carried)
        counter[15] -= blocksBefore
        return Case(key: key, counter: counter, message: draws.bytes(300 + Int(blocksBefore)))
      }
    }
  }()

  /// - Returns: A digest of all results.
  /// - Throws: ``BenchmarkError/differentWork(_:)`` with the name of one that gives other bytes.
  static func check(_ implementations: Implementations) throws -> String {
    let published = Case(
      key: try Hexadecimal.decode(key), counter: try Hexadecimal.decode(counter),
      message: try Hexadecimal.decode(plaintext))
    let reference = try StoreCipher()
    let cases = [published] + carries
    let right = try [Hexadecimal.decode(ciphertext)] + carries.map { try result(reference, $0) }
    for cipher in implementations.ciphers {
      for (given, right) in zip(cases, right) where try result(cipher, given) != right {
        throw BenchmarkError.differentWork(cipher.name)
      }
    }
    for script in implementations.scripts {
      // A case of each byte: these take their time.
      for index in [0] + Array(stride(from: 1, to: cases.count, by: 19))
      where try script.result(cases[index]) != right[index] {
        throw BenchmarkError.differentWork(script.name)
      }
    }
    return String(Hexadecimal.encode(try sha256(right.flatMap { $0 })).prefix(32))
  }

  private static func result(
    _ cipher: any CounterCipher, _ given: Case
  ) throws(BenchmarkError) -> [UInt8] {
    var message = given.message
    try cipher.setKey(given.key)
    try cipher.apply(to: &message, counter: given.counter)
    return message
  }
}
