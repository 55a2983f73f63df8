/// A place where app code lets others go first: the beginning or the end of a call of a port.
package struct Checkpoint: Hashable, Sendable {
  package enum Moment: Hashable, Sendable {
    /// The call has had no effect yet.
    case begins
    /// The call has had its effect; its caller does not know yet.
    case returns
  }

  package var process: String
  package var task: String
  /// What is called, such as `secure.setItem`.
  package var call: String
  /// What it is called on, such as the name of the item. Never a value.
  package var subject: String
  package var moment: Moment
}

extension Checkpoint: CustomStringConvertible {
  package var description: String { "\(process)/\(task): \(call)(\(subject)) \(moment)" }
}

/// A checkpoint that a task has left, and the virtual time since the start.
package struct Step: Hashable, Sendable {
  package var elapsed: Duration
  package var checkpoint: Checkpoint
}
