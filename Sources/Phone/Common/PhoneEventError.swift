/// An event that cannot happen to the phone as it is. Nothing was changed.
package enum PhoneEventError: Error, Equatable, Sendable {
  case alreadyInstalled
  case notInstalled
  /// The phone knows no such event; another comes close.
  indirect case notOnThisPhone(PhoneEvent, instead: PhoneEvent)
  /// No backup of that name holds these halves.
  case noSnapshot(name: String)
  /// A library call failed while the new layout was worked out.
  case internalFailure(String)
}

extension PhoneEventError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .alreadyInstalled: "the app is installed already; uninstall it first"
    case .notInstalled: "the app is not installed; install it first"
    case .notOnThisPhone(let event, let instead):
      "this phone has no \(event.word); what comes close: \(instead.word)"
    case .noSnapshot(let name): "no snapshot '\(name)' of these halves; take one first"
    case .internalFailure(let reason): reason
    }
  }
}
