/// What a store's author or version may choose.
package struct StoreSettings: Equatable, Sendable {
  /// The 2,048-byte rule of `expo-secure-store`, where a store keeps large values in it.
  package var sizeRule: SizeRule

  package init(sizeRule: SizeRule = .warn) { self.sizeRule = sizeRule }
}
