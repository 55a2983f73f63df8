/// Which AsyncStorage the app uses.
package enum AsyncStorageVersion: String, CaseIterable, Sendable {
  /// The 2.x package.
  case two = "v2"
  /// The default export of 3.x. On iOS it keeps the format of 2.x; on Android it is a Room
  /// database, into which the data of 2.x is moved.
  case three = "v3"
  /// A storage made by `createAsyncStorage` of 3.x: a Room database of its own on both.
  case threeScoped = "v3-scoped"
}
