import JSON
import Phone
import Ports

/// Notes what a program's calls of native modules show of the names under which it keeps things, for
/// the lab; beside the phone, and never a value.
///
/// A line is a JSON object: `half`, `item` and what was done, or what decided an order of calls. The
/// lab reads them with `CallLog`.
final class CallNotes {
  /// What becomes of an item.
  enum Change: String {
    /// A save is about to write it.
    case begins
    case stored, removed
    /// All that the half has, whatever its name.
    case cleared
    /// The module has said that there is none.
    case missing
  }

  private let sink: (any AcknowledgementSink)?

  /// - Parameter sink: `nil` for a program that nobody judges.
  init(_ sink: (any AcknowledgementSink)?) {
    self.sink = sink
  }

  func note(_ change: Change, _ items: [String], _ half: Half) throws(AcknowledgementFailure) {
    for item in items {
      try append([
        "half": .text(half.rawValue), "item": .text(item), "change": .text(change.rawValue),
      ])
    }
  }

  /// One of several calls that waited was let go first.
  func note(choice: Int, of count: Int) throws(AcknowledgementFailure) {
    try append(["choice": .integer(choice), "of": .integer(count)])
  }

  /// Calls that should have overlapped were made in turn: the program takes one command at a time.
  func noteTurns() throws(AcknowledgementFailure) {
    try append(["inTurn": true])
  }

  private func append(_ line: JSONObject) throws(AcknowledgementFailure) {
    try sink?.append(JSONWriter.text(of: .object(line)))
  }
}
