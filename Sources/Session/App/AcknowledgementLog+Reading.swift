import JSON

extension AcknowledgementLog {
  /// Why a log cannot be read.
  package struct ReadingError: Error, Equatable, Sendable, CustomStringConvertible {
    package var line: Int
    package var reason: String

    package var description: String { "acknowledgement log, line \(line): \(reason)" }
  }

  /// The commands of a log in the order in which they began.
  ///
  /// A last line without its line end was being written when the app died, and counts as not
  /// written: a command that did not finish beginning never reached the store, and one that did
  /// not finish ending is unknown.
  package static func read(_ text: String) throws(ReadingError) -> [Acknowledgement] {
    var entries: [Acknowledgement] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.dropLast().enumerated() {
      do throws(JSONError) {
        try read(String(line), into: &entries)
      } catch {
        throw ReadingError(line: index + 1, reason: "\(error)")
      }
    }
    return entries
  }

  private static func read(
    _ line: String, into entries: inout [Acknowledgement]
  ) throws(JSONError) {
    let node = try JSONReader.read(line)
    var reader = try node.object("an acknowledgement")
    _ = try reader.required("schema").word("schema", of: [schema])
    let launch = try reader.required("launch").integer(in: 0...Int.max)
    let sequence = try reader.required("sequence").integer(in: 1...Int.max)
    let status = try reader.required("status").word("status", of: ["began", "ok", "failed"])
    let index = entries.lastIndex { $0.launch == launch && $0.sequence == sequence }
    if status == "began" {
      guard index == nil else { throw node.error("the command began twice") }
      let command = try reader.required("command").text()
      let item = try reader.required("item").text()
      let session = try reader.optional("session").map(SessionIdentity.init(_:))
      entries.append(
        Acknowledgement(
          launch: launch, sequence: sequence, command: command, item: item, session: session,
          status: .unknown))
    } else {
      guard let index, entries[index].status == .unknown else {
        throw node.error("the command ended without having begun, or twice")
      }
      entries[index].status =
        status == "ok" ? .ok : .failed(try reader.required("error").text())
    }
    try reader.finish()
  }
}
