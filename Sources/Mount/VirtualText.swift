/// The content of a virtual file for one descriptor: parts that are made when a reader comes to them,
/// so that neither a long text nor the time to make it is there at once.
struct VirtualText {
  private let parts: [TextPart]
  /// How many parts have been made.
  private var partCount = 0
  /// What has been made, without what lies before the last read.
  private var bytes: ArraySlice<UInt8> = []
  private var start = 0

  init(_ parts: [TextPart]) {
    self.parts = parts
  }

  /// - Complexity: O(*n*) for the parts that are read; of those before `offset` too, when it lies
  ///   before the last read.
  mutating func read(at offset: Int, count: Int) -> [UInt8] {
    if offset < start { self = VirtualText(parts) }
    repeat {
      let passed = min(offset - start, bytes.count)
      bytes = bytes.dropFirst(passed)
      start += passed
    } while start + bytes.count < offset + count && makePart()
    return offset == start ? Array(bytes.prefix(count)) : []
  }

  /// Makes the next part, if there is one.
  private mutating func makePart() -> Bool {
    guard partCount < parts.count else { return false }
    bytes += parts[partCount]().utf8
    partCount += 1
    return true
  }
}
