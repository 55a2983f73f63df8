/// Where an app notes what it was told to do and what was acknowledged to it: on the side of the
/// lab, never on the phone, so that no fault of the phone reaches it.
package protocol AcknowledgementSink: AnyObject {
  /// Returns when the line, without its line end, would survive the death of this process.
  func append(_ line: String) throws(AcknowledgementFailure)
}

/// A note could not be taken. What the app did next would have no witness.
package struct AcknowledgementFailure: Error, Equatable, Sendable {
  package var reason: String

  package init(reason: String) {
    self.reason = reason
  }
}

extension AcknowledgementFailure: CustomStringConvertible {
  package var description: String { "acknowledgement log: \(reason)" }
}
