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

extension BrowserResult {
  /// What a person may say in words.
  package static let allowedWords = "cancel, dismiss, or the address that the page leads back to"

  /// Reads one of those words; `nil` for a text that is none.
  package init?(word: String) {
    switch word {
    case "cancel": self = .cancel
    case "dismiss": self = .dismiss
    default:
      let scheme = word.prefix { $0 != ":" }
      let isScheme = scheme.allSatisfy {
        $0.isASCII && ($0.isLetter || "0123456789+-.".contains($0))
      }
      guard isScheme, scheme.first?.isLetter == true, word.count > scheme.count + 1 else {
        return nil
      }
      self = .success(word)
    }
  }

  /// What ``init(word:)`` reads.
  package var word: String {
    switch self {
    case .success(let url): url
    case .cancel: "cancel"
    case .dismiss: "dismiss"
    case .locked: "locked"
    }
  }
}
