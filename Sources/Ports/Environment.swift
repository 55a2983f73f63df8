/// Wall-clock time. Simulated, or the machine's.
package protocol WallClock: AnyObject {
  /// Milliseconds since 1970, as JavaScript's `Date.now()`.
  var nowMs: Int64 { get }
}

/// A source of bytes that nobody can guess; in replay and chaos a seeded one.
package protocol Entropy: AnyObject {
  func bytes(_ count: Int) -> [UInt8]
}

/// What the app prints. Never a key or a token.
package protocol Console: AnyObject {
  func warn(_ text: String)
  func error(_ text: String)
}

/// For programs whose words nobody reads.
package final class SilentConsole: Console {
  package init() {}
  package func warn(_ text: String) {}
  package func error(_ text: String) {}
}

/// The channel from an app to a service of the operating system that runs as a process of its own:
/// the keychain on iOS, the keystore on Android.
package protocol SystemDaemon: AnyObject {
  /// Sends one request and waits for its answer; both are JSON texts.
  ///
  /// - Throws: ``DaemonUnavailable`` when no daemon answers. Whether the request took effect is
  ///   then unknown.
  func call(_ request: String) async throws(DaemonUnavailable) -> String
}

/// Counts the calls of one process to a service.
package final class CountingDaemon: SystemDaemon {
  private let daemon: any SystemDaemon
  private var count = 0

  package init(_ daemon: any SystemDaemon) { self.daemon = daemon }

  package func call(_ request: String) async throws(DaemonUnavailable) -> String {
    count += 1
    return try await daemon.call(request)
  }

  /// Hands over how many calls there were since the last time.
  package func takeCount() -> Int {
    defer { count = 0 }
    return count
  }
}

/// No daemon answered.
package struct DaemonUnavailable: Error, Equatable, Sendable {
  package var reason: String

  package init(reason: String) {
    self.reason = reason
  }
}

/// Where app code says which logical point it has reached, so that a fault can hit it there.
package protocol TracePoint: AnyObject {
  /// Returns when the lab has seen the point. A fault may end the process before it returns.
  func reach(_ point: LogicalPoint)
}

/// What an exception that nothing catches runs into: the end of the app's process.
package protocol CrashHandler: AnyObject {
  /// Ends the process with a code other than 0.
  ///
  /// Returns only where the process is simulated. The call that crashed throws then, and whoever
  /// runs the process has to take it for dead: nothing that the app does afterwards counts.
  func crash(_ exception: String)
}
