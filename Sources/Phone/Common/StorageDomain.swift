/// A part of the phone's storage that a power cut may leave at a point of its own.
package struct StorageDomain: Equatable, Sendable {
  package var name: String
  package var half: Half
  /// A path on the phone, in which `*` stands for any one folder; the domain holds it and everything
  /// below it. Of two that cover a path,
  /// the earlier in the layout's list holds it.
  package var prefix: String
  /// The name of the persistence profile that is closest to the real phone.
  package var profile: String

  package init(name: String, half: Half, prefix: String, profile: String) {
    self.name = name
    self.half = half
    self.prefix = prefix
    self.profile = profile
  }
}
