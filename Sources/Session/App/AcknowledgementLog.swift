import JSON
package import Ports

/// Writes the acknowledgement log: one line when a command begins to change something, one when
/// it ended.
///
/// The first line is out before the store is called, so a command without its second line is
/// known to have an unknown outcome. Lines are JSON objects with a `schema`; none holds a token.
package final class AcknowledgementLog {
  package static let schema = "lab.acknowledgement/1"
  private let sink: (any AcknowledgementSink)?
  private let launch: Int
  private var sequence = 0

  /// - Parameters:
  ///   - sink: `nil` for an app that nobody judges.
  ///   - launch: Tells this process from the others that write to the same log.
  package init(_ sink: (any AcknowledgementSink)?, launch: Int) {
    self.sink = sink
    self.launch = launch
  }

  /// Notes that a command begins, and gives its number.
  func begin(
    _ command: String, item: String, session: SessionIdentity?
  ) throws(AcknowledgementFailure) -> Int {
    sequence += 1
    var fields = JSONObject()
    fields["status"] = "began"
    fields["command"] = .text(command)
    fields["item"] = .text(item)
    fields["session"] = session?.json
    try append(fields, sequence)
    return sequence
  }

  /// Notes how it ended; an error's text must hold no secret.
  func end(_ number: Int, error: String?) throws(AcknowledgementFailure) {
    var fields = JSONObject()
    fields["status"] = error == nil ? "ok" : "failed"
    fields["error"] = error.map(JSONValue.text)
    try append(fields, number)
  }

  private func append(_ fields: JSONObject, _ number: Int) throws(AcknowledgementFailure) {
    var fields = fields
    fields["schema"] = .text(Self.schema)
    fields["launch"] = .integer(launch)
    fields["sequence"] = .integer(number)
    try sink?.append(JSONWriter.text(of: .object(fields)))
  }
}
