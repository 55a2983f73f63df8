/// Lets one call at a time through, in the order of arrival, as a native module's dispatch queue.
///
/// All callers are on one thread.
package final class SerialQueue {
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  package func enter() async {
    guard isBusy else {
      isBusy = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Hands the turn to the next caller.
  package func leave() {
    if waiting.isEmpty {
      isBusy = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}
