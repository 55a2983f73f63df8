/// A value in a file of preferences.
enum PreferenceValue: Equatable {
  case text(String)
  /// Of a type that is written as an attribute, with the text that stands in the file.
  case primitive(Primitive, String)
  /// A set of texts, in the order of the file.
  case texts([String])
  case null

  enum Primitive: String {
    case int, long, float, boolean
  }
}

/// The entries of a file of preferences, in the order in which `java.util.HashMap` gives them: by
/// the hash bucket of the name, and within one in the order of insertion.
///
/// The table starts with 16 buckets, doubles above three entries in four, and never shrinks. Not
/// modelled: the trees that replace buckets of more than 8 entries, which keep nearly the same
/// order.
struct PreferencesMap {
  typealias Entry = (name: String, value: PreferenceValue)

  /// In the order of insertion.
  private var inserted: [Entry] = []
  private var bucketCount: UInt32 = 16

  init() {}

  /// The map that puts entries in, one after the other: of several under a name the last one counts.
  ///
  /// - Complexity: O(*n*).
  init(_ entries: [Entry]) {
    var places: [[UInt8]: Int] = [:]
    for entry in entries {
      let name = Array(entry.name.utf8)
      if let place = places[name] {
        inserted[place].value = entry.value
      } else {
        places[name] = inserted.count
        insert(entry)
      }
    }
  }

  /// The value under a name; setting `nil` removes the entry.
  ///
  /// - Complexity: O(*n*).
  subscript(name: String) -> PreferenceValue? {
    get { index(of: name).map { inserted[$0].value } }
    set {
      let index = index(of: name)
      switch (newValue, index) {
      case (.some(let value), .some(let index)): inserted[index].value = value
      case (.some(let value), .none): insert((name, value))
      case (.none, .some(let index)): inserted.remove(at: index)
      case (.none, .none): break
      }
    }
  }

  /// By code units, as Java compares: `==` of Swift takes two spellings of a character for one.
  private func index(of name: String) -> Int? {
    inserted.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
  }

  private mutating func insert(_ entry: Entry) {
    inserted.append(entry)
    if inserted.count * 4 > Int(bucketCount) * 3 { bucketCount *= 2 }
  }

  /// The entries as an iteration over the map finds them.
  ///
  /// - Complexity: O(*n* log *n*).
  var entries: [Entry] {
    // The standard library's sort is stable.
    inserted.sorted { Self.hash($0.name) % bucketCount < Self.hash($1.name) % bucketCount }
  }

  /// `String.hashCode()`, spread as `HashMap` does.
  private static func hash(_ text: String) -> UInt32 {
    let code = text.utf16.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
    return code ^ (code >> 16)
  }
}
