import JSON
import Testing

@Suite struct `A text of any length` {
  /// The scan takes eight bytes at once: each byte must be seen at each place of a word.
  @Test func `ends at its quote, wherever the special byte stands`() throws {
    for length in 0..<20 {
      for place in 0...length {
        for byte in UInt8(0)...0x7F {
          var plain = Array(repeating: UInt8(ascii: "a"), count: length)
          plain.insert(byte, at: place)
          let bytes = Array("[\"".utf8) + plain + Array("\",1]".utf8)
          let ours = try? JSONReader.read(bytes).value
          switch byte {
          case 0x22, 0x5C, ..<0x20: #expect(ours == nil || byte == 0x5C, "\(byte) at \(place)")
          default: #expect(ours == [.text(String(decoding: plain, as: UTF8.self)), 1])
          }
        }
      }
    }
  }
}
