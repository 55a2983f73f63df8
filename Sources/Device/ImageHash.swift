/// The arithmetic of ``ImageDigest``: sums of 128 bits, so that a part of an image can be replaced in
/// its digest without looking at the rest.
///
/// The contract:
/// - content is a weighted sum of its 64-bit words, so that ``content(_:at:)`` of a file is the sum of
///   that of its pieces, wherever they are cut, and zeros count like holes;
/// - all else is mixed: two inodes with the same content at exchanged names have other digests.
///
/// Weights are fixed pseudo-random numbers of 128 bits. Two contents that were not made to collide do
/// so with a chance of at most 2⁻⁶⁴ (bytes that differ only in the top of a word), mostly 2⁻¹²⁷.
enum ImageHash {
  private static let factor: UInt128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
  private static let multiplier: UInt128 = 0xDA94_2042_E4DD_58B5_D6E8_FEB8_6659_FD93
  private static let pageWords = Inode.pageBytes / 8
  private static let weights = ContiguousArray(
    (0..<pageWords).map { mixed(UInt128($0) &+ factor) | 1 })

  /// A permutation of 128-bit numbers in which every bit of the input reaches every bit.
  @inline(__always)
  static func mixed(_ value: UInt128) -> UInt128 {
    var value = (value ^ (value >> 67)) &* multiplier
    value = (value ^ (value >> 59)) &* factor
    return value ^ (value >> 64)
  }

  /// One number for two, in their order.
  @inline(__always)
  static func pair(_ left: UInt128, _ right: UInt128) -> UInt128 {
    mixed(left &* multiplier &+ (right ^ (right >> 71)) &+ factor)
  }

  static func text(_ bytes: some Collection<UInt8>) -> UInt128 {
    bytes.reduce(UInt128(bytes.count)) { pair($0, UInt128($1)) }
  }

  /// The share of bytes at an offset in the content of a file.
  ///
  /// - Complexity: O(*n*) for the bytes.
  static func content(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt128 {
    let (weights, bytes) = (weights.span, bytes.span)
    var total: UInt128 = 0
    var start = 0
    while start < bytes.count {
      let (page, inPage) = (offset + start).quotientAndRemainder(dividingBy: Inode.pageBytes)
      let end = min(bytes.count, start + Inode.pageBytes - inPage)
      var sum: UInt128 = 0
      while start < end {
        let place = (offset + start) % Inode.pageBytes
        if place & 7 == 0, end - start >= 8 {
          sum &+= weights[place / 8] &* UInt128(word(bytes, at: start))
          start += 8
        } else {
          sum &+= weights[place / 8] &* UInt128(UInt64(bytes[start]) << UInt64(place & 7 * 8))
          start += 1
        }
      }
      total &+= sum &* (mixed(UInt128(page) &+ multiplier) | 1)
    }
    return total
  }

  @inline(__always)
  private static func word(_ bytes: borrowing Span<UInt8>, at start: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<8 { word |= UInt64(bytes[start + index]) << UInt64(index * 8) }
    return word
  }
}

extension Inode {
  /// The share of a range in the content.
  ///
  /// - Complexity: O(*n*) for the bytes of the pages in the range.
  func contentHash(in range: Range<Int>) -> UInt128 {
    let end = min(range.upperBound, pageBound * Self.pageBytes)
    guard range.lowerBound < end else { return 0 }
    let hit = range.lowerBound / Self.pageBytes...(end - 1) / Self.pageBytes
    if hit.count <= pages.count { return hit.reduce(0) { $0 &+ contentHash(in: range, page: $1) } }
    return pages.keys.filter(hit.contains).reduce(0) { $0 &+ contentHash(in: range, page: $1) }
  }

  private func contentHash(in range: Range<Int>, page index: Int) -> UInt128 {
    guard let page = pages[index] else { return 0 }
    let start = index * Self.pageBytes
    let hit = range.clamped(to: start..<start + Self.pageBytes)
    if hit.count == Self.pageBytes, let share = page.share { return share }
    return ImageHash.content(
      page.bytes[hit.lowerBound - start..<hit.upperBound - start], at: hit.lowerBound)
  }

  /// The sum of all that an image shows of an inode by itself, but for its kind and its length.
  var bodyHash: UInt128 { contentHash(in: 0..<pageBound * Self.pageBytes) &+ labelHash }

  /// The share of that which is not content.
  var labelHash: UInt128 {
    extendedAttributes.reduce(kind == .symbolicLink ? ImageHash.text(target) : 0) {
      $0 &+ Self.attributeHash($1.key, $1.value)
    }
  }

  static func attributeHash(_ name: String, _ value: [UInt8]) -> UInt128 {
    ImageHash.pair(ImageHash.text(name.utf8), ImageHash.text(value))
  }

  /// All that an image shows of an inode by itself.
  @inline(__always)
  static func imageHash(_ kind: Kind, sizeBytes: Int, body: UInt128) -> UInt128 {
    ImageHash.pair(body, UInt128(UInt64(sizeBytes)) << 8 | UInt128(kind.rawValue))
  }
}
