import Linux
import Testing

@testable import Mount

@Suite struct `A text that is made while it is read` {
  private let text = (0..<10).map { String(repeating: "\($0)", count: $0) }.joined()
  private let made = Locked<[Int]>([])

  private var parts: [TextPart] {
    (0..<10).map { [made] number in
      {
        made.withLock { $0.append(number) }
        return String(repeating: "\(number)", count: number)
      }
    }
  }

  private func expected(_ offset: Int, _ count: Int) -> [UInt8] {
    Array(text.utf8.dropFirst(offset).prefix(count))
  }

  @Test func `is the same in whatever pieces it is read`() {
    for count in 1...50 {
      var virtual = VirtualText(parts)
      for offset in stride(from: 0, through: 60, by: count) {
        #expect(virtual.read(at: offset, count: count) == expected(offset, count))
      }
    }
  }

  @Test func `can be read at any place, also before the last one`() {
    var virtual = VirtualText(parts)
    for offset in [44, 3, 20, 20, 0, 45, 60, 1] {
      #expect(virtual.read(at: offset, count: 7) == expected(offset, 7), "at \(offset)")
    }
  }

  @Test func `is made no further than somebody reads`() {
    var virtual = VirtualText(parts)
    #expect(made.withLock { $0 } == [])
    _ = virtual.read(at: 0, count: 3)
    #expect(made.withLock { $0 } == [0, 1, 2])
    _ = virtual.read(at: 3, count: 4)
    #expect(made.withLock { $0 } == [0, 1, 2, 3, 4])
  }
}
