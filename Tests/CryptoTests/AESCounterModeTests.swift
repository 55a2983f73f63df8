import Crypto
import Foundation
import Testing

@Suite struct `AES in counter mode` {
  /// NIST SP 800-38A, F.5.
  static let plaintext =
    "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710"

  @Test(arguments: [
    (
      "2b7e151628aed2a6abf7158809cf4f3c",
      "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff"
        + "5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee"
    ),
    (
      "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
      "1abc932417521ca24f2b0459fe7e6e0b 090339ec0aa6faefd5ccc2c6f4ce8e94"
        + "1e36b26bd1ebc670d1bd1d665620abf7 4f78a7f6d29809585a97daec58c6b050"
    ),
    (
      "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
      "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5"
        + "2b0930daa23de94ce87017ba2d84988d dfc9c58db67aada613c2dd08457941a6"
    ),
  ])
  func `agrees with NIST SP 800-38A`(key: String, ciphertext: String) throws {
    var cipher = try AESCounterMode()
    var message = try bytes(Self.plaintext)
    let counter = try bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    try cipher.apply(to: &message, key: bytes(key), counter: counter)
    #expect(try message == bytes(ciphertext))
    try cipher.apply(to: &message, key: bytes(key), counter: counter)
    #expect(try message == bytes(Self.plaintext), "decrypting is the same operation")
  }

  @Test func `agrees with openssl on random messages of many lengths`() throws {
    var cipher = try AESCounterMode()
    var draws = Draws(state: 7)
    for length in [0, 1, 15, 16, 17, 31, 32, 33, 255, 1000, 4096, 5003] {
      for (keyBytes, name) in [(16, "128"), (24, "192"), (32, "256")] {
        let key = draws.bytes(keyBytes)
        let counter = draws.bytes(16)
        let message = draws.bytes(length)
        var mine = message
        try cipher.apply(to: &mine, key: key, counter: counter)
        let theirs = try Tool.openssl(
          ["enc", "-aes-\(name)-ctr", "-K", hex(key), "-iv", hex(counter)], input: message)
        #expect(mine == theirs, "\(length) bytes under a key of \(keyBytes)")
      }
    }
  }

  @Test func `carries the counter into each of its 16 bytes, as openssl does`() throws {
    var cipher = try AESCounterMode()
    var draws = Draws(state: 16)
    let key = draws.bytes(32)
    for carried in 1...16 {
      // The low `carried` bytes are about to overflow after two blocks.
      var counter = [UInt8](repeating: 0x41, count: 16 - carried)
      counter += [UInt8](repeating: 0xff, count: carried)
      counter[15] = 0xfe
      let message = draws.bytes(100)
      var mine = message
      try cipher.apply(to: &mine, key: key, counter: counter)
      let theirs = try Tool.openssl(
        ["enc", "-aes-256-ctr", "-K", hex(key), "-iv", hex(counter)], input: message)
      #expect(mine == theirs, "a carry through \(carried) bytes")
      // And against blocks whose counters were added up here, one by one.
      var single: [UInt8] = []
      for start in stride(from: 0, to: message.count, by: 16) {
        var block = Array(message[start..<min(start + 16, message.count)])
        try cipher.apply(to: &block, key: key, counter: counter)
        single += block
        for place in (0..<16).reversed() {
          counter[place] &+= 1
          if counter[place] != 0 { break }
        }
      }
      #expect(mine == single, "a carry through \(carried) bytes, block by block")
    }
  }

  @Test func `agrees with PyPI's pyaes counting from 1`() throws {
    let python = ProcessInfo.processInfo.environment["LAB_PYTHON"] ?? "python3"
    let probe = try Tool.run([python, "-c", "import pyaes"])
    try #require(
      probe.status == 0,
      """
      \(python) cannot import pyaes, which this test compares against. Install it with \
      `pip install pyaes` into a virtual environment, and name its interpreter in LAB_PYTHON.
      """)
    let program = """
      import sys, pyaes
      for line in sys.stdin:
          key, text = (bytes.fromhex(word) for word in line.rstrip("\\n").split(" "))
          mode = pyaes.AESModeOfOperationCTR(key, counter=pyaes.Counter(initial_value=1))
          print(mode.encrypt(text).hex())
      """
    var draws = Draws(state: 1)
    var cipher = try AESCounterMode()
    var lines = ""
    var mine: [String] = []
    for length in [0, 1, 16, 17, 300, 4100] {
      for keyBytes in [16, 24, 32] {
        let key = draws.bytes(keyBytes)
        var message = draws.bytes(length)
        lines += "\(hex(key)) \(hex(message))\n"
        try cipher.apply(to: &message, key: key, counter: AESCounterMode.counterBlock(1))
        mine.append(hex(message))
      }
    }
    let answer = try Tool.run([python, "-c", program], input: ascii(lines))
    try #require(answer.status == 0, "\(answer.error)")
    let theirs = String(decoding: answer.output, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast().map(String.init)
    #expect(mine == theirs)
  }

  @Test func `gives other bytes under a wrong key, and no error`() throws {
    var cipher = try AESCounterMode()
    var message = ascii("{\"refresh_token\":\"r1\"}")
    let counter = AESCounterMode.counterBlock(1)
    try cipher.apply(to: &message, key: [UInt8](repeating: 1, count: 32), counter: counter)
    try cipher.apply(to: &message, key: [UInt8](repeating: 2, count: 32), counter: counter)
    #expect(message != ascii("{\"refresh_token\":\"r1\"}"))
  }

  @Test func `refuses sizes that AES does not know, and leaves the message`() throws {
    var cipher = try AESCounterMode()
    let counter = AESCounterMode.counterBlock(1)
    for size in [0, 1, 15, 17, 23, 25, 31, 33, 64] {
      var message = ascii("text")
      do throws(CryptoError) {
        try cipher.apply(
          to: &message, key: [UInt8](repeating: 0, count: size), counter: counter)
        Issue.record("a key of \(size) bytes was taken")
      } catch {
        #expect(error == .keySize(bytes: size))
      }
      #expect(message == ascii("text"))
    }
    for size in [0, 8, 12, 15, 17] {
      var message = ascii("text")
      do throws(CryptoError) {
        try cipher.apply(
          to: &message, key: [UInt8](repeating: 0, count: 32),
          counter: [UInt8](repeating: 0, count: size))
        Issue.record("a counter of \(size) bytes was taken")
      } catch {
        #expect(error == .counterSize(bytes: size))
      }
    }
  }

  @Test func `works on after a refused key, and when key sizes alternate`() throws {
    var cipher = try AESCounterMode()
    let counter = AESCounterMode.counterBlock(1)
    var first: [Int: [UInt8]] = [:]
    for round in 0..<3 {
      for size in [32, 16, 24, 7] {
        var message = ascii("the same text every time")
        do throws(CryptoError) {
          try cipher.apply(
            to: &message, key: [UInt8](repeating: 9, count: size), counter: counter)
        } catch {
          #expect(size == 7)
        }
        if round == 0 { first[size] = message }
        #expect(first[size] == message, "key of \(size) bytes, round \(round)")
      }
    }
  }

  @Test func `goes on from piece to piece, and leaves what stands before one`() throws {
    var draws = Draws(state: 9)
    let (key, message) = (draws.bytes(32), draws.bytes(200))
    let counter = AESCounterMode.counterBlock(1)
    var cipher = try AESCounterMode()
    var whole = message
    try cipher.apply(to: &whole, key: key, counter: counter)
    for cut in [0, 1, 16, 37, 200] {
      var first = Array(message[..<cut])
      var second: [UInt8] = [1, 2, 3] + message[cut...]
      try cipher.start(key: key.span, counter: counter)
      try cipher.apply(to: &first)
      try cipher.apply(to: &second, from: 3)
      cipher.forget()
      #expect(first + second.dropFirst(3) == whole, "cut at \(cut)")
      #expect(second.prefix(3) == [1, 2, 3])
    }
  }

  @Test func `makes a counter block from a number, big-endian`() throws {
    #expect(try AESCounterMode.counterBlock(1) == bytes("00000000000000000000000000000001"))
    #expect(
      try AESCounterMode.counterBlock(0x0102_0304_0506_0708)
        == bytes("00000000000000000102030405060708"))
  }
}
