import Chaos
import JSON
import Linux
import Terminal

/// Looks at the phone as long as somebody looks at the page, on a thread of its own: a phone that does
/// not answer holds up nobody.
final class UIWatch: Sendable {
  /// How the phone was when it was last looked at.
  struct View: Sendable {
    var version = 0
    /// Why the phone cannot be seen; what was seen last is kept.
    var problem: String?
    var look: JSONValue?
  }

  fileprivate struct State {
    var view = View()
    /// The one that the page chose, until an app uses another.
    var store = "last"
    var lastStore: String?
    var askedNs: Int64 = 0
    var begunNs: Int64 = 0
    var lookedNs: Int64 = 0
    var isHurried = false
  }

  private static let pauseMs = 250
  private static let second: Int64 = 1_000_000_000

  /// The phone that is shown, now and whenever it is mounted again.
  let name: String
  private let state = Locked(State())

  /// - Throws: `SystemError` when the machine has no more threads.
  init(_ name: String) throws(SystemError) {
    self.name = name
    _ = try Thread("lab-ui-watch") { [self] in
      while true { look() }
    }
  }

  /// How the phone is, not more than a moment ago.
  func current() -> View {
    let now = Clocks.monotonicNs
    let isFresh = state.withLock { state in
      state.askedNs = now
      return now - state.lookedNs < 2 * Self.second
    }
    guard !isFresh, !waitForLook(after: now) else { return state.withLock { $0.view } }
    return state.withLock { state in
      state.note(problem: "the phone '\(name)' does not answer")
      return state.view
    }
  }

  /// Looks anew, and waits for it a moment.
  func refresh() {
    let now = Clocks.monotonicNs
    state.withLock { $0.isHurried = true }
    _ = waitForLook(after: now)
  }

  func chooseStore(_ store: String) {
    state.withLock { $0.store = store }
  }

  private func waitForLook(after moment: Int64) -> Bool {
    state.wait(timeoutMs: 1_500) { $0.begunNs >= moment && $0.lookedNs >= $0.begunNs ? true : nil }
      ?? false
  }

  private func look() {
    let store = state.wait { state -> String? in
      let now = Clocks.monotonicNs
      guard state.isHurried || now - state.askedNs < 5 * Self.second else { return nil }
      state.isHurried = false
      state.begunNs = now
      return state.store
    }
    let result = Result { try PhoneLink(again: name).call(.look(store: store ?? "last")) }
    state.withLock { state in
      state.lookedNs = Clocks.monotonicNs
      switch result {
      case .success(let look): state.note(look)
      case .failure(let failure as Failure):
        state.note(problem: failure.lines.joined(separator: " "))
      case .failure(let error): state.note(problem: "\(error)")
      }
    }
    _ = state.wait(timeoutMs: Self.pauseMs) { $0.isHurried ? true : nil }
  }
}

extension UIWatch.State {
  fileprivate mutating func note(_ look: JSONValue) {
    if let last = look["lastStore"]?.text, last != lastStore {
      lastStore = last
      store = "last"
      isHurried = true
    }
    guard view.look != look || view.problem != nil else { return }
    view = UIWatch.View(version: view.version + 1, problem: nil, look: look)
  }

  fileprivate mutating func note(problem: String) {
    guard view.problem != problem else { return }
    view.version += 1
    view.problem = problem
  }
}
