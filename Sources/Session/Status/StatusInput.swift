/// What can happen to the status machine.
package enum StatusInput: Equatable, Sendable {
  /// The auth client told its subscribers.
  case event(AuthEvent, AuthSession?)
  /// The first `getSession()` of this launch settled.
  case primed(Priming)
  /// The first `getSession()` takes longer than a person waits.
  case primingOverdue
  /// The recovery marker was read; `nil` if there is none, or it could not be read.
  case markerRead(String?)
  /// The assurance levels of the derivation with this number came in.
  case derived(Int, Assurance)
  /// The store was looked at again after `since` inputs, and has this session.
  case rechecked(since: Int, AuthSession?)
  /// The person set a new password: known to the screen, not from an event.
  case passwordChanged
  /// `signOut()` of the client settled, and no `SIGNED_OUT` came.
  case signOutUnheard

  package enum Priming: Equatable, Sendable {
    case session(AuthSession?)
    /// A result with an error, such as no network for an expired session: the session stays stored.
    case failed
    /// The promise was rejected: the store threw.
    case rejected
  }
}

/// What the levels of a session say about a second factor.
package enum Assurance: Hashable, Sendable {
  case sufficient, stepUpNeeded
  /// The call failed, in whichever way.
  case unknown

  /// A step is outstanding if the next level is the second, and is not reached yet.
  package init(current: String?, next: String?) {
    self = next == "aal2" && next != current ? .stepUpNeeded : .sufficient
  }
}

/// What the status machine asks for, in this order. The cache is cleared before the frame is shown.
package enum StatusEffect: Equatable, Sendable {
  case clearCache
  /// Call `getSession()`.
  case prime
  case readMarker
  case writeMarker(String)
  case removeMarker
  /// Ask for the assurance levels, once the caller has returned.
  case derive(Int)
}
