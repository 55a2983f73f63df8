/// The texts of a segment of the log, each with the place by which later records name it.
///
/// Most texts are those of the records before: a word of the lab's or the path of a file. So the last
/// two texts of the same role are asked first, which costs less than a hash.
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

  /// What a text says in a record.
  enum Role: Int, CaseIterable {
    case kind, domain, path, target, fault, change, attribute
  }

  private var entries: [Entry] = []
  private var places: [String: Int] = [:]
  /// By role, the places of two texts; 0 for none.
  private var recent = [Int](repeating: 0, count: 2 * Role.allCases.count)

  /// The place of a text that was there before; a new one gets the next place.
  ///
  /// - Complexity: O(*n*) for the bytes of the text, at most.
  mutating func place(of text: String, as role: Role) -> Int? {
    let slot = 2 * role.rawValue
    for near in slot...slot + 1 where recent[near] > 0 {
      let place = recent[near]
      if entries[place - Self.firstPlace].isSpelled(text) { return place }
    }
    recent[slot + 1] = recent[slot]
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
