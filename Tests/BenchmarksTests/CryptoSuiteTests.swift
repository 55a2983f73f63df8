import Crypto
import JSON
import Linux
import Terminal
import Testing

@testable import Benchmarks

@Suite(.serialized, .timeLimit(.minutes(5))) struct `The suite for encryption` {
  @Test func `measures every case, and knows what it has done`() throws {
    let measured = try CryptoSuite(.smoke).run(.quiet)
    let rows = measured.sections.flatMap(\.rows)
    for row in rows {
      #expect(row.value > 0 && row.value.isFinite, "\(row.name) (\(row.implementation))")
    }
    #expect(rows.flatMap(\.ratios).allSatisfy { $0.value > 0 && $0.value.isFinite })
    #expect(
      Set(rows.map(\.implementation)).isSuperset(of: [
        "the stores' (OpenSSL)", "OpenSSL, context kept", "OpenSSL, new context",
        "OpenSSL, fetched anew",
      ]))
    #expect(rows.contains { $0.name == "setItem of durable, 4 KiB" && !$0.demands.isEmpty })
    #expect(measured.conclusion?.contains("Saving a session of 4 KiB costs") == true)
    #expect(measured.digest.count == 32)
  }

  @Test(.enabled(if: !AESKernel.widths.isEmpty, "needs AES instructions of x86-64"))
  func `says of every cipher how much of the bare rounds it reaches`() throws {
    let measured = try CryptoSuite(.smoke).run(.quiet)
    let ciphers = measured.sections.filter { $0.title.hasPrefix("AES-256-CTR") }.flatMap(\.rows)
    #expect(ciphers.allSatisfy { row in row.ratios.contains { $0.name == "roofline" } })
    let kernel = ciphers.filter { $0.implementation.hasPrefix("kernel") }
    #expect(kernel.contains { row in row.demands.contains { $0.words == "roofline >= 0.85" } })
  }

  @Test func `is told apart from one that gives other bytes`() throws {
    /// Counts in the low 8 bytes only.
    final class Short: CounterCipher {
      let name = "short counter"
      private let whole: StoreCipher

      init() throws { whole = try StoreCipher() }

      func setKey(_ key: [UInt8]) { whole.setKey(key) }

      func apply(to message: inout [UInt8], counter: [UInt8]) throws(BenchmarkError) {
        var counter = counter
        for start in stride(from: 0, to: message.count, by: 16) {
          var block = Array(message[start..<min(start + 16, message.count)])
          try whole.apply(to: &block, counter: counter)
          message.replaceSubrange(start..<(start + block.count), with: block)
          for place in (8..<16).reversed() {
            counter[place] &+= 1
            if counter[place] != 0 { break }
          }
        }
      }
    }
    let whole = Implementations(ciphers: [try StoreCipher()], scripts: [], notes: [])
    #expect(try CipherCheck.check(whole).count == 32)
    let short = Implementations(ciphers: [try Short()], scripts: [], notes: [])
    #expect(throws: BenchmarkError.differentWork("short counter")) {
      try CipherCheck.check(short)
    }
  }

  @Test func `reads what openssl speed prints for machines`() throws {
    let text = "+R:713520:AES-256-CTR:0.370000\n+H:4096\n+F:25:AES-256-CTR:7898859243.24\n"
    #expect(SpeedTool.bytesPerSecond(in: text) == 7_898_859_243.24)
    #expect(SpeedTool.bytesPerSecond(in: "speed: unknown option -mr\n") == nil)
    #expect(SpeedTool.bytesPerSecond(in: "+F:25:AES-256-CTR:inf\n") == nil)
    #expect(SpeedTool.bytesPerSecond(in: "+F:25:AES-256-CTR:0.00\n") == nil)
  }

  @Test func `does without a language that is not there`() throws {
    #expect(try ScriptPeer.start("none", ["lab-no-such-program"]) == nil)
    #expect(try ScriptPeer.start("mute", ["true"]) == nil)
  }

  @Test func `has a library that is there, and none that is not`() {
    #expect(SharedLibrary(["liblab-no-such.so.1"]) == nil)
    #expect(SharedLibrary(["liblab-no-such.so.1", "libc.so.6"])?.fileName == "libc.so.6")
  }

  @Test func `stops when it is told to`() {
    let watch = Watch(shouldStop: { true }, progress: { _, _ in })
    #expect(throws: BenchmarkError.interrupted) { try CryptoSuite(.smoke).run(watch) }
  }
}

@Suite struct `Figures of sizes and speeds` {
  @Test(arguments: [
    (64, "64 B"), (1024, "1 KiB"), (16_384, "16 KiB"), (1 << 20, "1 MiB"),
  ])
  func `name a size`(bytes: Int, text: String) { #expect(FigureText.size(bytes) == text) }

  @Test(arguments: [
    (12.34, "12.3"), (8.067, "8.07"), (0.5331, "0.533"), (0.00043, "0.0004"), (.nan, "-"),
  ])
  func `show three digits`(value: Double, text: String) {
    #expect(FigureText.significant(value) == text)
  }
}
