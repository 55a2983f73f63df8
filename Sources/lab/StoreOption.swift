import Session
import Terminal
import Zoo

/// The value of `--store`: a store, or a twin of the zoo as `zoo/NAME`, which no list shows.
enum StoreOption {
  static var kind: ValueKind<String> {
    return ValueKind("NAME", allowed: names.joined(separator: "|"), words: names) { word in
      KnownStores.named(word)?.name
    }
  }

  /// Several of them.
  static var list: ValueKind<[String]> {
    .list("LIST", of: names) { KnownStores.named($0) != nil }
  }

  private static let names = StoreKind.all.map(\.name)
}
