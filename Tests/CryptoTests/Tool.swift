import Crypto
import Foundation
import Testing

/// A program of the machine that answers on its standard output.
enum Tool {
  struct Answer {
    var output: [UInt8]
    var error: String
    var status: Int32
  }

  static func run(_ words: [String], input: [UInt8] = []) throws -> Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let stdin = Pipe()
    let stdout = Pipe()
    let stderr = Pipe()
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    // Inputs of these tests fit into a pipe's buffer, so nobody waits for anybody.
    try stdin.fileHandleForWriting.write(contentsOf: Data(input))
    try stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    let error = stderr.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Answer(
      output: Array(output), error: String(decoding: error, as: UTF8.self),
      status: process.terminationStatus)
  }

  /// What `openssl` prints; fails the test when it ends with an error.
  static func openssl(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let answer = try run(["openssl"] + arguments, input: input)
    try #require(answer.status == 0, "openssl \(arguments.first ?? ""): \(answer.error)")
    return answer.output
  }
}

/// Bytes from hexadecimal text with blanks, for vectors as their documents print them.
func bytes(_ text: String) throws -> [UInt8] {
  try Hexadecimal.decode(text.filter { !$0.isWhitespace })
}

func hex(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes) }

func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A small generator with a fixed start, so that a failure repeats.
struct Draws: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
