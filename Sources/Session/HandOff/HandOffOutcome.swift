/// How a hand-off ended, as the sign-in screen sees it.
package enum HandOffOutcome: Equatable, Sendable {
  /// The jar holds the session, and whoever shows it has been told.
  case signedIn
  /// The user gave up: nothing is shown, the screen stays as it is.
  case cancelled
  case failed(HandOffFailure)
}

/// Each for a different break (R-HAND-18). None of them changed the jar.
package enum HandOffFailure: String, Error, CaseIterable, Sendable {
  /// The server has passkeys switched off.
  case passkeyUnavailable
  /// The browser did not open, or ended in a way that is no dismissal; hardened: in no way at all.
  case browserFailed
  /// The address is not on the app's list.
  case untrustedCallback
  /// The nonce did not come back, or there is no attempt that it could belong to.
  case stateMismatch
  /// No cookie came with the nonce; hardened: no code.
  case missingCookie
  /// What came is no session that can be used.
  case malformedCookie
  /// The jar could not be read or written.
  case cookieStoreFailed
  /// Hardened only: the server gave no session for the code.
  case exchangeFailed
}

/// How an app does its hand-offs.
package enum HandOffProfile: String, CaseIterable, Sendable {
  /// As the kit describes it: the nonce lives in memory, the cookie comes in the address, and the jar
  /// is written past the layer that divides it.
  case seed
  /// The attempt outlives the process and is accepted once, for a while; the address carries only a
  /// code, which is worth nothing without a secret of the app; and no attempt waits for ever.
  case hardened
}
