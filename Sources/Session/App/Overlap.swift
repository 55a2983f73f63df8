/// Calls that an app starts without waiting for the one before, as two parts of it do that hold the
/// same client: some that store one session, and some that read.
package struct Overlap: Hashable, Sendable {
  /// What each writer stores: 1 is a sign-in, more a refresh. All of them the same session: the
  /// server gives the one that it has to every refresh of a moment.
  package var generation: Int
  package var writerCount: Int
  package var readerCount: Int
  /// Who goes on, at each place where more than one may: counted from 0, the one that has waited
  /// longest. Beyond the last place it is that one.
  package var order: [Int]

  package init(generation: Int, writerCount: Int, readerCount: Int, order: [Int] = []) {
    self.generation = generation
    self.writerCount = writerCount
    self.readerCount = readerCount
    self.order = order
  }

  /// How many of a kind there may be: an order names each of them with one digit.
  package static let countMax = 4

  /// The calls, in the order in which they are started: the writers first.
  var commands: [AppCommand] {
    let writer: AppCommand =
      generation == 1 ? .signIn(.generation(1)) : .refresh(to: generation)
    return Array(repeating: writer, count: writerCount)
      + Array(repeating: .get(item: nil), count: readerCount)
  }

  /// ``order`` as a text, a digit a place.
  package static func text(of order: [Int]) -> String { order.map(String.init).joined() }

  /// Reads what ``text(of:)`` gives; `nil` for another text.
  package static func order(_ text: String) -> [Int]? {
    var order: [Int] = []
    for character in text {
      guard let digit = character.wholeNumberValue, digit < 2 * countMax else { return nil }
      order.append(digit)
    }
    return order
  }

  /// The words of the app's command.
  package var words: [String] {
    [
      "overlap", "--to", String(generation), "--writers", String(writerCount), "--readers",
      String(readerCount), "--order", Self.text(of: order),
    ]
  }
}

extension Overlap: CustomStringConvertible {
  /// `2 refreshes to generation 2, and 1 read, at once`.
  package var description: String {
    let writer = generation == 1 ? "sign-in" : "refresh"
    let plural = generation == 1 ? "sign-ins" : "refreshes"
    var words = "\(writerCount) \(writerCount == 1 ? writer : plural)"
    if generation > 1 { words += " to generation \(generation)" }
    if readerCount > 0 { words += ", and \(readerCount) read\(readerCount == 1 ? "" : "s")," }
    return writerCount + readerCount > 1 ? words + " at once" : words
  }
}
