import Phone

/// How large something may be that an app stores.
struct ItemLimit {
  let half: Half
  /// Whether all items of the half count together.
  let isTotal: Bool
  let bytes: Int
  /// From where on an item is reported.
  let reportedAbove: Int
  let leaves: String
  let command: String?

  private init(
    _ half: Half, isTotal: Bool = false, _ bytes: Int, near share: Int, _ leaves: String,
    _ command: String? = nil
  ) {
    self.half = half
    self.isTotal = isTotal
    self.bytes = bytes
    reportedAbove = bytes * share / 100
    self.leaves = leaves
    self.command = command
  }

  /// All that are known, of both platforms: an app of Expo runs on both.
  static let all = [
    ItemLimit(
      .key, 2048, near: 100,
      "SecureStore before SDK 55 warns over 2,048 bytes and stores it: nothing is lost"),
    ItemLimit(
      .blob, 2048 << 10, near: 75,
      "AsyncStorage on Android writes a row over 2 MB and cannot read it back: every read rejects"),
    ItemLimit(
      .blob, isTotal: true, 6 << 20, near: 75,
      "AsyncStorage on Android holds 6 MB: the next save rejects", "lab inject disk-full"),
  ]
}
