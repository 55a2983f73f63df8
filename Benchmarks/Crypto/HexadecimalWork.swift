import Crypto

/// The text of 4 KiB, beside a copy of that text.
@safe struct HexadecimalWork {
  enum Work: String, CaseIterable {
    case copy = "memcpy of the text, 8 KiB"
    case encode = "hex of 4 KiB, as bytes"
    case encodeText = "hex of 4 KiB, as a text"
    case decode = "4 KiB out of hex"
  }

  private typealias Copy =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeRawPointer?, Int
    ) -> UnsafeMutableRawPointer?

  private let bytes = [UInt8](repeating: 0x5e, count: 4096)
  private let digits: [UInt8]
  private let text: String
  private let target = Target()
  private let copy: Copy

  private final class Target {
    var bytes = [UInt8](repeating: 0, count: 8192)
  }

  init() throws(BenchmarkError) {
    digits = Hexadecimal.encodeToBytes(bytes)
    text = Hexadecimal.encode(bytes)
    // Called through its address, so that no copy is left out as useless.
    guard let library = SharedLibrary(["libc.so.6"]),
      let copy = unsafe library.function("memcpy", as: Copy.self)
    else { throw .implementation(Work.copy.rawValue, reason: "no libc.so.6") }
    unsafe self.copy = copy
  }

  func perform(_ work: Work) throws {
    switch work {
    case .copy: _ = unsafe copy(&target.bytes, digits, digits.count)
    case .encode: _ = Hexadecimal.encodeToBytes(bytes)
    case .encodeText: _ = Hexadecimal.encode(bytes)
    case .decode: _ = try Hexadecimal.decode(text)
    }
  }
}
