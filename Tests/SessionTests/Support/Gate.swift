/// A door that a call waits at until the test opens it.
final class Gate {
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private(set) var isOpen = false

  func pass() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    for waiter in waiting { waiter.resume() }
    waiting = []
  }
}
