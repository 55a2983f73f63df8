import Glibc

/// A value that one thread at a time may touch, with a way to wait for it to change.
///
/// Over `pthread_mutex_t`: ThreadSanitizer reports false races on `Synchronization.Mutex` on Linux.
/// `@unchecked Sendable`: the mutex serialises every access to `value`.
///
/// Public, because the compiler specialises generic code of another module only when it is: as a
/// package's it costs more than the lock, and every request of a mount passes it.
@safe public final class Locked<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  /// Makes an unlocked value.
  public init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(changed, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` alone with the value, and wakes those who ``wait(timeoutMs:until:)``.
  ///
  /// Not recursive: a `body` that locks the same value again never returns.
  public func withLock<Result: ~Copyable, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_cond_broadcast(changed)
      unsafe pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Waits until `condition` returns something, and returns that; `nil` when the time ran out.
  ///
  /// The condition is asked at once, and again after each ``withLock(_:)`` of another thread. It may
  /// change the value.
  public func wait<Result>(
    timeoutMs: Int? = nil, until condition: (inout Value) -> Result?
  ) -> Result? {
    let deadlineNs = timeoutMs.map { Clocks.monotonicNs + Int64($0) * 1_000_000 }
    return wait(deadlineNs: deadlineNs, until: condition)
  }

  /// As ``wait(timeoutMs:until:)``, with a moment of the monotonic clock as the end.
  public func wait<Result>(
    deadlineNs: Int64?, until condition: (inout Value) -> Result?
  ) -> Result? {
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_cond_broadcast(changed)
      unsafe pthread_mutex_unlock(mutex)
    }
    while true {
      if let result = condition(&value) { return result }
      guard let deadlineNs else {
        unsafe pthread_cond_wait(changed, mutex)
        continue
      }
      if Clocks.monotonicNs >= deadlineNs { return nil }
      var moment = timespec(
        tv_sec: Int(deadlineNs / 1_000_000_000), tv_nsec: Int(deadlineNs % 1_000_000_000))
      unsafe pthread_cond_timedwait(changed, mutex, &moment)
    }
  }
}
