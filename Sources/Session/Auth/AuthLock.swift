/// The queue of a client up to 2.106: one operation after another.
///
/// An operation that starts while another one runs waits for the last one in the queue. Waits for
/// itself, if it is started by the one that runs and awaited there: a deadlock, as in the original.
final class AuthLock {
  private var isHeld = false
  private var pending: [AuthPromise<Void>] = []

  func run<Value>(
    _ body: () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let end = AuthPromise<Void>()
    if isHeld {
      let last = pending.last
      pending.append(end)
      defer { end.settle() }
      await last?.wait()
      return try await body()
    }
    isHeld = true
    defer { isHeld = false }
    pending.append(end)
    let value: Value
    do throws(AuthError) {
      value = try await body()
      end.settle()
    } catch {
      end.settle()
      throw error
    }
    while !pending.isEmpty {
      let all = pending
      for one in all { await one.wait() }
      pending.removeFirst(all.count)
    }
    return value
  }
}
