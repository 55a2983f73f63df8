/// What the app was told to do once, and what was acknowledged: the ground that an oracle stands
/// on.
package struct Acknowledgement: Equatable, Sendable {
  package enum Status: Equatable, Sendable {
    /// The store acknowledged: the app told its user or its server that it is done.
    case ok
    /// The store rejected, with this text.
    case failed(String)
    /// The command began and never ended: the app was killed in between. It may have taken effect
    /// whole, in part, or not at all.
    case unknown
  }

  /// Which launch of the app this was, as the lab counts them.
  package var launch: Int
  /// The place within the launch, from 1.
  package var sequence: Int
  package var command: String
  /// The name of the item that the command is about.
  package var item: String
  /// The session that was to be stored; `nil` when the command stores none.
  package var session: SessionIdentity?
  package var status: Status

  package init(
    launch: Int, sequence: Int, command: String, item: String, session: SessionIdentity?,
    status: Status
  ) {
    self.launch = launch
    self.sequence = sequence
    self.command = command
    self.item = item
    self.session = session
    self.status = status
  }
}
