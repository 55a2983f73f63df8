/// What a store's author or version may choose.
package struct StoreSettings: Equatable, Sendable {
  /// The 2,048-byte rule of `expo-secure-store`, where a store keeps large values in it.
  package var sizeRule: SizeRule
  /// How Better Auth's client keeps its jar.
  package var jar: BetterAuthBehaviour

  package init(sizeRule: SizeRule = .warn, jar: BetterAuthBehaviour = .expo171) {
    self.sizeRule = sizeRule
    self.jar = jar
  }
}
