/// Sizes as people type them.
package enum SizeText {
  private static let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("B", 0)]

  /// Reads a whole number with its unit, in bytes: `512B`, `2KiB`. A bare number is refused.
  package static func parse(_ text: String) -> Int? {
    for (name, shift) in units where text.hasSuffix(name) {
      guard let count = Int(exactDigits: String(text.dropLast(name.count))), count >= 0 else {
        return nil
      }
      let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: 1 << shift)
      return isTooLarge ? nil : bytes
    }
    return nil
  }

  /// Writes a size so that ``parse(_:)`` reads it, in the largest unit that is exact.
  package static func text(_ bytes: Int) -> String {
    for (name, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)]
    where bytes != 0 && bytes % (1 << shift) == 0 {
      return "\(bytes >> shift)\(name)"
    }
    return "\(bytes)B"
  }
}
