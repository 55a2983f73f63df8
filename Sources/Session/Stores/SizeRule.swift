/// What `expo-secure-store` does about a value over 2,048 bytes of UTF-8.
package enum SizeRule: String, CaseIterable, Sendable {
  /// Nothing, as from SDK 55.
  case off
  /// A console warning, then it stores the value: as shipped from SDK 33 on.
  case warn
  /// It rejects, which its warning announced and no version did.
  case enforce

  package static let limitBytes = 2048
}
