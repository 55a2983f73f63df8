/// Finds the word that was meant.
package enum NearestWord {
  /// The most similar candidate, or `nil` if none is similar enough to be worth saying.
  ///
  /// Similar enough: at most one slip for every three letters, and one for shorter words. Letter
  /// case counts for nothing but a tie; among equals the earlier candidate wins.
  ///
  /// - Complexity: O(*n* · *m*²) for *n* candidates of *m* letters.
  package static func to(_ word: String, among candidates: [String]) -> String? {
    guard !word.isEmpty, word.unicodeScalars.count <= 100 else { return nil }
    let folded = Array(word.lowercased().unicodeScalars)
    var best: (candidate: String, distance: Int, exact: Int)?
    for candidate in candidates {
      let letters = Array(candidate.lowercased().unicodeScalars)
      let slipsMax = max(1, max(folded.count, letters.count) / 3)
      guard abs(letters.count - folded.count) <= slipsMax else { continue }
      let distance = slips(folded, letters)
      // A replaced word of one or two letters is another word, not a slip.
      guard distance <= slipsMax, distance < max(folded.count, letters.count) else { continue }
      let exact = slips(Array(word.unicodeScalars), Array(candidate.unicodeScalars))
      if let best, (best.distance, best.exact) <= (distance, exact) { continue }
      best = (candidate, distance, exact)
    }
    return best?.candidate
  }

  /// How many letters must be added, dropped, replaced or swapped with their neighbour.
  ///
  /// Damerau-Levenshtein, in the form where no letter is touched twice.
  static func slips(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var beforeLast = [Int]()
    var last = Array(0...other.count)
    for row in 1..<(one.count + 1) {
      var current = [row]
      current.reserveCapacity(other.count + 1)
      for column in 1..<(other.count + 1) {
        let cost = one[row - 1] == other[column - 1] ? 0 : 1
        var least = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost)
        if row > 1, column > 1, one[row - 1] == other[column - 2],
          one[row - 2] == other[column - 1]
        {
          least = min(least, beforeLast[column - 2] + 1)
        }
        current.append(least)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}
