import Ports

/// Waits for work whose end nobody guarantees.
struct Deadline {
  let spawner: any Spawner
  let sleeper: any Sleeper

  /// What came first: the end of the work, or of the time.
  private final class Race<Value> {
    var value: Value?
    private var waiting: CheckedContinuation<Void, Never>?
    private var isOver = false

    func end() {
      isOver = true
      waiting?.resume()
      waiting = nil
    }

    func wait() async {
      if isOver { return }
      await withCheckedContinuation { waiting = $0 }
    }
  }

  /// - Returns: What the work gave; `nil` when the time was over first. The work goes on then, and
  ///   what it gives is dropped.
  func limit<Value>(
    _ name: String, to duration: Duration, _ work: @escaping () async -> Value
  ) async -> Value? {
    let race = Race<Value>()
    spawner.spawn(name) {
      race.value = await work()
      race.end()
    }
    spawner.spawn("\(name): deadline") { [sleeper] in
      do throws(ProcessGone) {
        try await sleeper.sleep(for: duration)
      } catch {
        return race.end()
      }
      race.end()
    }
    await race.wait()
    return race.value
  }
}
