/// The queue of a client up to 2.106: one operation after another.
///
/// An operation that starts while another one runs waits for the last one in the queue. So it waits for
/// ever when it is started by the one that runs and awaited there: a deadlock, as in the original.
final class AuthLock {
  private var isHeld = false
  private var pending: [AuthPromise<Void>] = []

  /// Runs an operation in its turn.
  ///
  /// The first of a row ends when all have ended that came meanwhile, unless its promise is rejected.
  ///
  /// - Parameter body: The operation.
  /// - Returns: What it returns.
  /// - Throws: What it throws.
  func run<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
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
    let result: Result<Value, Failure>
    do throws(Failure) {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    // The end of a promise is known one turn later: who comes with this one finds the lock held.
    await Task.yield()
    end.settle()
    if case .failure(let error as AuthError) = result, error.isRejection { return try result.get() }
    while !pending.isEmpty {
      let all = pending
      for one in all { await one.wait() }
      pending.removeFirst(all.count)
    }
    return try result.get()
  }
}
