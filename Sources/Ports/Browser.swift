/// How app code opens the system's browser for a sign-in: `WebBrowser.openAuthSessionAsync`.
package protocol Browser: AnyObject {
  /// Shows a page and waits until it leads to an address that begins with `redirect`, or until the
  /// sheet is gone.
  ///
  /// It may never return: iOS ignores that a session could not be started.
  ///
  /// - Throws: ``NativeError`` when nothing was opened, as when another session is running.
  func openAuthSession(
    _ url: String, redirect: String
  ) async throws(NativeError) -> BrowserResult
}

/// How a session of the browser ended.
package enum BrowserResult: Equatable, Sendable {
  /// The page led back to the app, with this address.
  case success(String)
  /// The user closed the sheet; on iOS also any failure of the system.
  case cancel
  /// The sheet went away: on Android whenever the app became active, even if the page goes on.
  case dismiss
  /// Another session is running, as iOS 10 said it.
  case locked
}
