import Ports

/// A value that several tasks wait for, as they do for one JavaScript promise. It is settled once, or
/// never: then they wait for ever, unless their process ends.
final class AuthPromise<Value> {
  private var result: Result<Value, AuthError>?
  private var waiting: [AsyncStream<Never>.Continuation] = []

  /// Lets all waiters go on, in the order in which they came; later calls change nothing.
  func settle(_ result: Result<Value, AuthError>) {
    guard self.result == nil else { return }
    self.result = result
    for continuation in waiting { continuation.finish() }
    waiting = []
  }

  func value() async throws(AuthError) -> Value {
    if result == nil {
      // A stream, for it also ends when its task is cancelled, that is, when the process has ended.
      let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
      waiting.append(continuation)
      for await _ in stream {}
    }
    guard let result else { throw .gone }
    return try result.get()
  }
}

extension AuthPromise where Value == Void {
  func settle() { settle(.success(())) }

  /// Waits for the end alone.
  func wait() async {
    do throws(AuthError) { try await value() } catch { return }
  }
}
