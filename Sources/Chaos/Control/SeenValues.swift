import JSON
import Phone

/// The values that were seen in both halves since the mount, for words without any of them: `key 2` is
/// the second value that was seen under that name in the key half.
struct SeenValues: Sendable {
  private struct Place: Hashable {
    let half: Half
    let name: String
  }

  /// How many values of one place are shown, the latest.
  private static let shownMax = 50

  private var digests: [Place: [String]] = [:]

  mutating func note(_ inventory: Inventory) {
    for key in inventory.keys ?? [] { note(.key, key.name, key.digest) }
    for blob in inventory.blobs { note(.blob, blob.name, blob.digest) }
  }

  private mutating func note(_ half: Half, _ name: String?, _ digest: String?) {
    guard let name, let digest else { return }
    let place = Place(half: half, name: name)
    if digests[place]?.contains(digest) != true { digests[place, default: []].append(digest) }
  }

  /// For each value its half, its name, the digest that reports give of it, and its words.
  var json: JSONValue {
    let places = digests.sorted {
      ($0.key.half.rawValue, $0.key.name) < ($1.key.half.rawValue, $1.key.name)
    }
    return .list(
      places.flatMap { place, digests in
        digests.enumerated().suffix(Self.shownMax).map { index, digest -> JSONValue in
          let half = place.half.rawValue
          return [
            "place": .text(half), "name": .text(place.name),
            "digest": .text(String(digest.prefix(4))), "value": .text("\(half) \(index + 1)"),
          ]
        }
      })
  }
}
