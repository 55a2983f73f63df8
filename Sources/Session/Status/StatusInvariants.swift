/// What must hold whatever the order of events, judged step by step over one launch of the app.
///
/// The caller reports each input with the effects and the frame that came of it. A screen that is
/// shown for a user leaves entries of that user in the cache.
package struct StatusInvariants: Equatable, Sendable {
  /// A broken rule.
  package enum Violation: String, CaseIterable, Sendable {
    case backToLoading = "the status went back to loading"
    case sessionWithoutFlag = "a guard saw a session before its recovery flag"
    case endlessRedirects = "the redirects do not end"
    case signedOutLeftovers = "SIGNED_OUT left the cache or the marker"
    case foreignCache = "a screen of one user read what another left in the cache"
    case staleStatus = "a session was shown under the status of another user"
    case openBelowLevel = "the app was open to a session that says that it needs a second factor"
  }

  private var last = AuthFrame()
  /// Whose entries the cache holds.
  private var cached: Set<String> = []

  package init() {}

  package mutating func observe(
    _ input: StatusInput, _ effects: [StatusEffect], _ frame: AuthFrame
  ) -> [Violation] {
    var violations: [Violation] = []
    if frame.status == .loading, last.status != .loading { violations.append(.backToLoading) }
    if flagIsLate(input, frame) { violations.append(.sessionWithoutFlag) }
    if case .event(.signedOut, _) = input,
      !effects.contains(.clearCache) || !effects.contains(.removeMarker)
    {
      violations.append(.signedOutLeftovers)
    }
    if effects.contains(.clearCache) { cached = [] }
    if let user = frame.userID, frame.status == .authenticated {
      if !cached.subtracting([user]).isEmpty { violations.append(.foreignCache) }
      cached.insert(user)
    }
    if let before = last.userID, let user = frame.userID, before != user,
      frame.status == .authenticated
    {
      violations.append(.staleStatus)
    }
    if frame.status == .authenticated, frame.session?.needsSecondFactor == true {
      violations.append(.openBelowLevel)
    }
    if Self.redirectsAreEndless(frame) { violations.append(.endlessRedirects) }
    last = frame
    return violations
  }

  /// The flag may rise under a session that is shown already only when recovery begins right then.
  private func flagIsLate(_ input: StatusInput, _ frame: AuthFrame) -> Bool {
    if case .event(.passwordRecovery, _) = input { return false }
    return last.isInitialised && last.session != nil && !last.isRecovering
      && frame.isRecovering && frame.userID == last.userID
  }

  private static func redirectsAreEndless(_ frame: AuthFrame) -> Bool {
    Route.samples.contains { AuthGuard.chain(from: $0, frame) == nil }
  }
}
