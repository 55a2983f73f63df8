/// Where versions of auth-js differ, as far as the client models it. Numbers are the first releases
/// of a behaviour.
extension SDKVersion {
  private func isAtLeast(_ minor: Int, _ patch: Int) -> Bool {
    (major, self.minor, self.patch) >= (2, minor, patch)
  }

  /// Operations of a client run one after another, in a queue in which a nested one never runs.
  var usesLock: Bool { !isAtLeast(107, 0) }

  /// A refreshed session is dropped when the stored one changed meanwhile.
  var guardsCommits: Bool { isAtLeast(107, 0) }

  /// A refresh that failed is not tried again with the same token for a minute, and a refused one
  /// leaves a session whose access token is still good.
  var remembersFailedRefresh: Bool { isAtLeast(108, 2) }

  /// Asking for a code again starts a flow of its own.
  var startsFlowOnResend: Bool { isAtLeast(108, 0) }

  /// Events of the initialisation wait until it is over.
  var queuesFirstEvents: Bool { isAtLeast(110, 1) }

  /// The session goes even if the server could not be told.
  var alwaysSignsOutLocally: Bool { isAtLeast(110, 2) }

  /// Whatever session is saved, a started flow loses its verifier.
  var savingRemovesVerifier: Bool { !isAtLeast(110, 3) }

  /// Each flow has a verifier of its own, at most ``AuthKeys/flowsMax``.
  var hasFlowSlots: Bool { isAtLeast(111, 0) }

  /// An error that says to try again later keeps the server's message.
  var keepsServerMessage: Bool { isAtLeast(112, 1) }

  /// Whether a status says to try again later.
  func isRetryable(_ status: Int) -> Bool {
    switch status {
    case 502...504, 520...524, 530: true
    case 500, 501, 525...529: isAtLeast(108, 2)
    default: false
    }
  }
}
