/// What distinguishes one run of the reference app from another.
package struct AppSettings: Equatable, Sendable {
  /// The name of the session's item, the same in both halves.
  package var sessionItem: String
  /// Whose sessions are made.
  package var user: String
  package var size: SessionText.Size
  package var sdk: SDKVersion
  package var store: StoreSettings
  /// Counts the processes that write to one acknowledgement log.
  package var launch: Int

  package init(
    sessionItem: String = "sb-demo-auth-token", user: String = "ada",
    size: SessionText.Size = .standard, sdk: SDKVersion = .current,
    store: StoreSettings = StoreSettings(), launch: Int = 1
  ) {
    self.sessionItem = sessionItem
    self.user = user
    self.size = size
    self.sdk = sdk
    self.store = store
    self.launch = launch
  }
}

extension AppSettings {
  /// The same for an app with its client.
  package func client(_ profile: AppProfile, baseURL: String) -> AuthSettings {
    var client = AuthSettings(
      baseURL: baseURL, anonKey: "public", storageKey: sessionItem,
      profile: profile == .seed ? .seed : .hardened)
    client.sdk = sdk
    return client
  }
}
