import Chaos
import Foundation
import Linux
import Testing

/// Everything that needs a mounted phone and real processes, one at a time.
@Suite(
  .serialized, .timeLimit(.minutes(3)),
  .enabled(if: FileManager.default.fileExists(atPath: "/dev/fuse"), "needs /dev/fuse"))
enum Mounted {
  /// A lane whose programs lie beside the test bundle.
  static func lane() throws -> Lane {
    try Lane(programs: PhoneHost.Programs(besideExecutable: Files.currentExecutable()))
  }

  /// Runs something on a lane of its own.
  static func onLane<Result>(_ body: (Lane) throws -> Result) throws -> Result {
    let lane = try lane()
    defer { lane.close() }
    return try body(lane)
  }

  /// A scenario from the inner part of its file.
  static func scenario(_ inner: String, name: String = "test") throws -> Scenario {
    let text = """
      { schema: "lab.scenario/1", title: "T", phones: ["ios"], story: "S.", \(inner) }
      """
    return try ScenarioReader.read(Array(text.utf8), name: name)
  }
}
