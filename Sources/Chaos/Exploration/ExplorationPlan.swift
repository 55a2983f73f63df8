package import Phone

/// What an exploration looks at, and how far.
package struct ExplorationPlan: Sendable {
  package var phone: PhoneKind
  package var store: String
  /// A profile of ``ScenarioSettings/profile`` for every domain; `nil` for the phone's own.
  package var profile: String?
  /// How many crashes in a row: 2 has the recovery crash as well.
  package var depth = 1
  package var seed: UInt64
  /// How many choices of survivors are looked at for one moment; with more, as many are drawn.
  package var cutCountMax = 256

  package init(phone: PhoneKind, store: String, seed: UInt64) {
    self.phone = phone
    self.store = store
    self.seed = seed
  }
}
