/// What an event does, and how an oracle has to read it.
package struct PhonePlan: Equatable, Sendable {
  package var effects: [PhoneEffect]

  /// The halves that the event takes away. A session that reads as absent afterwards is then no
  /// false sign-out.
  package var takes: Set<Half>

  /// The halves that are afterwards as they were at an earlier time.
  package var rewinds: Set<Half>

  /// `true` when no real phone reaches the state this way, such as one half of a backup alone.
  package var isSynthetic: Bool

  /// One line for reports: which rule of the platform makes the state legal.
  package var reason: String

  package init(
    _ effects: [PhoneEffect], takes: Set<Half> = [], rewinds: Set<Half> = [],
    isSynthetic: Bool = false, reason: String
  ) {
    self.effects = effects
    self.takes = takes
    self.rewinds = rewinds
    self.isSynthetic = isSynthetic
    self.reason = reason
  }
}
