import TestSupport
import Testing

/// The built program, driven as a user drives it: in lanes of about the same length, each with one test
/// at a time. Every test has a runtime folder and a working folder of its own, so that none sees the
/// phones of another.
@Suite(.timeLimit(.minutes(10)))
enum Commands {
  /// A phone or a server that runs, and what is said of it.
  @Suite(.serialized, .ownThread) enum Phones {}

  /// With an app that is not the lab's.
  @Suite(.serialized, .ownThread) enum Programs {}

  /// Runs in memory, and what they leave for a program, a browser or a later run.
  @Suite(.serialized, .ownThread) enum Results {}
}
