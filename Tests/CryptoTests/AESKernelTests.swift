import Crypto
import Testing

/// On a processor without AES instructions there is nothing to test.
@Suite struct `The AES kernel` {
  @Test(arguments: AESKernel.widths) func `agrees with NIST SP 800-38A`(
    width: AESKernel.Width
  ) throws {
    var kernel = AESKernel(width)
    kernel.setKey(
      try bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
    var message = try bytes(`AES in counter mode`.plaintext)
    kernel.apply(to: &message, counter: try bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
    #expect(
      try message
        == bytes(
          "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5"
            + "2b0930daa23de94ce87017ba2d84988d dfc9c58db67aada613c2dd08457941a6"))
  }

  @Test(arguments: AESKernel.widths) func `agrees with the library at every length`(
    width: AESKernel.Width
  ) throws {
    var draws = Draws(state: 38)
    var kernel = AESKernel(width)
    var library = try AESCounterMode()
    for length in 0..<600 {
      let (key, counter, message) = (draws.bytes(32), draws.bytes(16), draws.bytes(length))
      var (mine, theirs) = (message, message)
      kernel.setKey(key)
      kernel.apply(to: &mine, counter: counter)
      try library.apply(to: &theirs, key: key, counter: counter)
      #expect(mine == theirs, "\(length) bytes")
    }
  }

  /// The carry comes at each block of a message, so also within and between registers.
  @Test(arguments: AESKernel.widths) func `carries the counter into each of its 16 bytes`(
    width: AESKernel.Width
  ) throws {
    var draws = Draws(state: 39)
    let key = draws.bytes(32)
    let message = draws.bytes(700)
    var kernel = AESKernel(width)
    kernel.setKey(key)
    var library = try AESCounterMode()
    for carried in 1...16 {
      for blocksBefore in UInt8(0)..<40 {
        var counter = [UInt8](repeating: 0x41, count: 16 - carried)
        counter += [UInt8](repeating: 0xff, count: carried)
        counter[15] -= blocksBefore
        var (mine, theirs) = (message, message)
        kernel.apply(to: &mine, counter: counter)
        try library.apply(to: &theirs, key: key, counter: counter)
        #expect(mine == theirs, "into byte \(carried) after \(blocksBefore) blocks")
      }
    }
  }

  @Test(arguments: AESKernel.widths) func `has another result with another key, and none left`(
    width: AESKernel.Width
  ) {
    let counter = AESCounterMode.counterBlock(1)
    let results = [1, 2].map { (byte: UInt8) in
      var kernel = AESKernel(width)
      kernel.setKey([UInt8](repeating: byte, count: 32))
      var first = [UInt8](repeating: 0, count: 64)
      kernel.apply(to: &first, counter: counter)
      kernel.forget()
      var second = [UInt8](repeating: 0, count: 64)
      kernel.apply(to: &second, counter: counter)
      return (first, second)
    }
    #expect(results[0].0 != results[1].0)
    #expect(results[0].1 == results[1].1, "without keys there is no difference")
    #expect(results[0].1 != results[0].0)
  }

  @Test(arguments: AESKernel.widths) func `knows how many rounds and cycles it has done`(
    width: AESKernel.Width
  ) {
    #expect(AESKernel.rounds(width, repetitions: 3) == 3 * 64 * (width == .wide ? 2 : 1))
    #expect(AESKernel.cycles(repetitions: 3) == 192)
  }
}
