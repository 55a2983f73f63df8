import Session
import Terminal
import Zoo

/// The value of `--store`: a store, or a twin of the zoo as `zoo/NAME`, which no list shows.
enum StoreOption {
  static var kind: ValueKind<String> {
    ValueKind("NAME", allowed: names.joined(separator: "|"), words: names) { word in
      KnownStores.named(word)?.name
    }
  }

  private static let names = StoreKind.all.map(\.name)
}
