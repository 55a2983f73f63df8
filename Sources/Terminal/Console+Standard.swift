import Glibc

extension Console {
  /// The console of this process: stdout, stderr, the environment, the monotonic clock.
  ///
  /// Makes closed pipes an error for the whole process, and ends it quietly when stdout is one.
  ///
  /// - Parameter name: How the commands that it prints are to be typed.
  /// - Returns: The console.
  package static func standard(_ name: TypedName) -> Console {
    DescriptorSink.ignoreClosedPipes()
    var settings = Settings()
    settings.noColor = variable("NO_COLOR")
    settings.terminal = variable("TERM")
    settings.now = monotonicTime
    settings.name = name
    return Console(
      output: DescriptorSink(STDOUT_FILENO), errors: DescriptorSink(STDERR_FILENO), settings)
  }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  private static func monotonicTime() -> Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
