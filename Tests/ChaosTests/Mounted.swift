import Chaos
import Foundation
import Linux
import Phone
import TestSupport
import Testing

/// Everything that needs a mounted phone and real processes, one at a time.
@Suite(
  .serialized, .ownThread, .timeLimit(.minutes(3)),
  .enabled(if: FileManager.default.fileExists(atPath: "/dev/fuse"), "needs /dev/fuse"))
enum Mounted {
  /// A lane whose programs lie beside the test bundle, forked from a zygote as they are for people.
  static func lane(areForked: Bool = true) throws -> Lane {
    var programs = try PhoneHost.Programs(besideExecutable: Files.currentExecutable())
    programs.areForked = areForked
    return try Lane(programs: programs)
  }

  /// Runs something on a lane of its own.
  static func onLane<Result>(
    areForked: Bool = true, _ body: (Lane) throws -> Result
  ) throws -> Result {
    let lane = try lane(areForked: areForked)
    defer { lane.close() }
    return try body(lane)
  }

  /// A scenario from the inner part of its file.
  static func scenario(
    _ inner: String, name: String = "test", phone: PhoneKind = .ios
  ) throws -> Scenario {
    let text = """
      { schema: "lab.scenario/1", title: "T", phones: ["\(phone.rawValue)"], story: "S.", \(inner) }
      """
    return try ScenarioReader.read(Array(text.utf8), name: name)
  }
}
