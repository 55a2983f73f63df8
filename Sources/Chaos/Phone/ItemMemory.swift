import JSON
import Phone

/// What the calls of a program of somebody else's have shown of the names under which it keeps things.
///
/// The contract. What a save has written through SecureStore belongs to the key half of the session, and
/// what it has written through AsyncStorage to the blob half, whatever it is called. An item that the
/// module has taken and never gave back to be removed, and that it denies later, was lost by the phone
/// itself: see ``ModuleWitness``, which knows the same of the lab's own stores.
struct ItemMemory: Hashable, Sendable {
  /// What saves have written, by their first time.
  private(set) var written: [Half: [String]] = [:]
  /// What must be there.
  private(set) var stored: [Half: Set<String>] = [:]
  /// How often a module has denied what must be there.
  private(set) var lossCount = 0
  /// How the calls of the last overlap were let go, one of how many that waited.
  private(set) var order: [Choice] = []
  /// Whether calls that should have overlapped were made in turn.
  private(set) var takesTurns = false
  /// How many bytes of the notes were read.
  private var readBytes = 0

  struct Choice: Hashable, Sendable {
    let choice: Int
    let count: Int
  }

  /// The same, before the notes of a phone that goes on elsewhere.
  var forNewNotes: ItemMemory {
    var memory = self
    (memory.readBytes, memory.order) = (0, [])
    return memory
  }

  /// Reads the notes that have come since the last time. A line without its end was being written when
  /// the app died.
  ///
  /// - Returns: What the phone has lost by itself.
  mutating func follow(_ notes: [UInt8]) -> Loss {
    let news = notes.dropFirst(readBytes)
    guard let end = news.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    readBytes = end + 1
    var losses: Loss = []
    for line in news[...end].split(separator: UInt8(ascii: "\n")) {
      guard let note = try? JSONReader.read(String(decoding: line, as: UTF8.self)).value else {
        continue
      }
      losses.formUnion(follow(note))
    }
    if !losses.isEmpty { lossCount += 1 }
    return losses
  }

  private mutating func follow(_ note: JSONValue) -> Loss {
    if let choice = note["choice"]?.integer, let count = note["of"]?.integer {
      order.append(Choice(choice: Int(choice), count: Int(count)))
    }
    if note["inTurn"] != nil { takesTurns = true }
    guard let half = note["half"]?.text.flatMap(Half.init), let item = note["item"]?.text else {
      return []
    }
    switch note["change"]?.text {
    case "begins":
      if written[half]?.contains(item) != true { written[half, default: []].append(item) }
    case "stored": stored[half, default: []].insert(item)
    case "removed": stored[half]?.remove(item)
    case "cleared": stored[half] = nil
    case "missing":
      guard stored[half]?.remove(item) != nil else { break }
      return half == .key ? .key : .blob
    default: break
    }
    return []
  }
}
