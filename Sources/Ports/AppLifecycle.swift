/// Whether the person sees the app, as React Native's `AppState` says it.
package protocol AppLifecycle: AnyObject {
  var state: AppState { get }

  /// Adds a listener, called on the app's thread after each change.
  ///
  /// - Returns: What ends the subscription.
  func onChange(_ listener: @escaping (AppState) -> Void) -> () -> Void
}

/// The values of `AppState.currentState`.
package enum AppState: String, CaseIterable, Sendable {
  case active, inactive, background
}
