/// The values of files in memory, 2 MB of UTF-16 units at most, as the `NSCache` of AsyncStorage.
///
/// `NSCache` says nothing about what it drops first; here it is the oldest.
struct ValueCache {
  static let costMax = 2 << 20

  private var values: [[UInt8]: String] = [:]
  private var order: [[UInt8]] = []
  private var cost = 0

  subscript(key: String) -> String? {
    get { values[Array(key.utf8)] }
    set {
      let key = Array(key.utf8)
      if let old = values.removeValue(forKey: key) {
        cost -= old.utf16.count
        order.removeAll { $0 == key }
      }
      guard let newValue else { return }
      values[key] = newValue
      order.append(key)
      cost += newValue.utf16.count
      while cost > Self.costMax, let oldest = order.first {
        order.removeFirst()
        cost -= values.removeValue(forKey: oldest)?.utf16.count ?? 0
      }
    }
  }

  mutating func removeAll() {
    self = ValueCache()
  }
}
