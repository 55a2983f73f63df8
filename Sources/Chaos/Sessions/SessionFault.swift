package import Device

/// One disturbance of a story, and where it falls.
package struct SessionFault: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// The app's process ends.
    case kill
    /// The phone's power fails; what was not synced is lost, or survives.
    case powerCut = "power-cut"
    /// The person locks the phone, and unlocks it a minute later.
    case lock
    /// The phone's clock is set one hour ahead.
    case clock
    /// A request does not reach the server.
    case loseRequest = "lose-request"
    /// The server has done what it was asked for, and its reply is lost.
    case loseReply = "lose-reply"
    /// The server answers with status 429.
    case limit = "429"
    /// The server answers with status 500.
    case failure = "500"

    /// Whether it hits a request, not a step of the app.
    package var hitsRequest: Bool {
      switch self {
      case .kill, .powerCut, .lock, .clock: false
      case .loseRequest, .loseReply, .limit, .failure: true
      }
    }
  }

  package var kind: Kind
  /// Which step of the app, or which request, counted from 1 over the whole story.
  package var place: Int
  /// What outlives a power cut.
  package var survivors = Survivors.none

  package init(_ kind: Kind, at place: Int, survivors: Survivors = .none) {
    self.kind = kind
    self.place = place
    self.survivors = survivors
  }
}
