package import Ports

/// Whether the person sees the app: told by whoever drives it.
package final class StandingLifecycle: AppLifecycle {
  private var listeners: [Int: (AppState) -> Void] = [:]
  private var count = 0

  package init(_ state: AppState) { self.state = state }

  package var state: AppState {
    didSet {
      for key in listeners.keys.sorted() { listeners[key]?(state) }
    }
  }

  package func onChange(_ listener: @escaping (AppState) -> Void) -> () -> Void {
    count += 1
    let key = count
    listeners[key] = listener
    return { [weak self] in self?.listeners[key] = nil }
  }
}
