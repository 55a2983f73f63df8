import Glibc
import Ports

/// An exception that nothing catches ends this process, with its text on standard error.
package final class ProcessCrash: CrashHandler {
  /// As a shell reports a program that aborted.
  package static let exitCode: Int32 = 134

  package init() {}

  package func crash(_ exception: String) {
    StandardStream.error.write("FATAL EXCEPTION: \(exception)\n")
    exit(Self.exitCode)
  }
}
