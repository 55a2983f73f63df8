/// Which behaviour the app above the auth client has.
package enum AppProfile: String, CaseIterable, Sendable {
  /// What the kit's text says, with the hazards that follow from it.
  case seed
  /// The same screens, with each hazard mended that the app itself can mend.
  case hardened
}
