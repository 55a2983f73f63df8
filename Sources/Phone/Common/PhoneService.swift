import JSON

/// The service that keeps a phone's keys: the keychain on iOS, the keystore on Android. A process
/// of its own, so that the end of an app never tears what it stores.
package protocol PhoneService: AnyObject {
  /// Answers one request; both are JSON texts.
  func reply(to request: String) -> ServiceReply

  /// What the service does behind its caller's back, when the answer is on its way.
  func finish()

  /// An orderly end.
  func stop()
}

/// An answer of a phone's service.
package struct ServiceReply: Equatable, Sendable {
  package var text: String
  /// Whether an item, or the removal of one, was committed.
  package var commitsItem = false
  /// Whether the service was told to end.
  package var ends = false
}

/// What every phone's service understands, whatever else it does.
package enum ServiceRequest {
  package static let ping = #"{"call":"ping"}"#
  package static let quit = #"{"call":"quit"}"#

  package static func setLockState(_ state: LockState) -> String {
    JSONWriter.text(of: ["call": "setLockState", "state": .text(state.rawValue)])
  }

  static let removedCount = "removedCount"

  /// How many items a request of the system took away: every answer has a `status`, and 0 is success.
  ///
  /// - Parameter answer: The service's answer.
  /// - Returns: The number; `nil` when the request was not carried out.
  package static func itemsRemoved(by answer: String) -> Int? {
    do {
      let fields = try JSONReader.read(answer, .json).value
      guard fields["status"]?.integer == 0 else { return nil }
      return Int(fields[removedCount]?.integer ?? 0)
    } catch {
      return nil
    }
  }
}
