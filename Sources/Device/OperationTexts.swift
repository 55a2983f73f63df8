/// The texts of a segment of the log, each with the place by which later records name it.
///
/// Most texts are those of the record before: a word of the lab's or the path of a file. So a small
/// table of recent texts is asked first, by a slot that costs less than a hash.
struct OperationTexts: Sendable {
  private struct Entry: Sendable {
    let text: String
    let isASCII: Bool

    /// Whether a text has the same bytes. Equal texts may differ in them, as composed and decomposed
    /// letters do; but what equals an ASCII text and is none is longer.
    func isSpelled(_ other: String) -> Bool {
      guard text == other else { return false }
      return isASCII ? text.utf8.count == other.utf8.count : text.utf8.elementsEqual(other.utf8)
    }
  }

  /// A place counts from 2, as 0 means that there is no text and 1 that a new one follows.
  private static let firstPlace = 2
  private static let slotCount = 64

  private var entries: [Entry] = []
  private var places: [String: Int] = [:]
  /// By slot, the place of the last text that came there; 0 for none.
  private var recent = [Int](repeating: 0, count: slotCount)

  /// The place of a text that was there before; a new one gets the next place.
  ///
  /// - Complexity: O(*n*) for the bytes of the text, at most.
  mutating func place(of text: String) -> Int? {
    let slot = (text.utf8.count &+ Int(text.utf8.last ?? 0)) % Self.slotCount
    let near = recent[slot]
    if near > 0, entries[near - Self.firstPlace].isSpelled(text) { return near }
    if let known = places[text], entries[known - Self.firstPlace].isSpelled(text) {
      recent[slot] = known
      return known
    }
    let place = entries.count + Self.firstPlace
    entries.append(Entry(text: text, isASCII: text.utf8.allSatisfy { $0 < 0x80 }))
    places[text] = place
    recent[slot] = place
    return nil
  }
}
