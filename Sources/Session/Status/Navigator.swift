/// Where the person is, and who brought them there.
package final class Navigator {
  package enum Author: Equatable, Sendable {
    case person
    case authGuard
    /// A screen, which may do so without a success only: to ask for a code or a factor, to return
    /// from that, or for want of a parameter.
    case flow(Reason)
  }

  package enum Reason: String, Sendable {
    case codeRequested, addressMissing, stepUpNeeded, stepUpDone
  }

  package struct Entry: Equatable, Sendable {
    package var from: Route
    package var target: Route
    package var author: Author
  }

  package private(set) var route: Route
  package private(set) var log: [Entry] = []
  /// How often a screen was mounted anew.
  package private(set) var mountCount = 1
  /// A toast outlives the screen that asked for it.
  package private(set) var toasts: [String] = []

  package init(at route: Route) { self.route = route }

  package func go(to target: Route, by author: Author) {
    guard target != route else { return }
    log.append(Entry(from: route, target: target, author: author))
    route = target
    mountCount += 1
  }

  /// Lets the guards have their say about a frame.
  package func settle(_ frame: AuthFrame) {
    guard let chain = AuthGuard.chain(from: route, frame) else {
      preconditionFailure("the redirects of the guards do not end")
    }
    for target in chain { go(to: target, by: .authGuard) }
  }

  package func toast(_ key: String) { toasts.append(key) }
}
