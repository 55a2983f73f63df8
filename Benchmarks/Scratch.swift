import Glibc
import Linux

/// Where a run of this process keeps its things: a private folder of the machine.
enum Scratch {
  static var folder: String { "\(Files.environment("TMPDIR") ?? "/tmp")/lab-bench-\(getpid())" }
}
