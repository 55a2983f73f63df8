import Chaos
import Glibc
import Linux
import Mount
import Testing

@testable import Benchmarks

/// Serial: each measures on a mount of its own, and mounts are heavy.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Programs.canMount, "needs /dev/fuse"))
struct `The suite for file systems` {
  private func measure(_ watch: Watch = .quiet, against peer: String? = nil) throws -> Measurements
  {
    let programs = try PhoneHost.Programs(besideExecutable: Programs.lab)
    return try FilesystemSuite(
      .smoke, executable: Programs.lab, programs: programs, peer: peer
    ).run(watch)
  }

  @Test func `measures every case, on our mount and in memory`() throws {
    let measured = try measure()
    let rows = measured.sections.flatMap(\.rows)
    for name in FileCase.allCases.map(\.rawValue) + DatabaseWork.Mode.allCases.map(\.rawValue) {
      let known = rows.filter { $0.name == name }.map(\.implementation)
      #expect(known.starts(with: ["lab", "tmpfs"]), "\(name): \(known)")
    }
    #expect(rows.allSatisfy { $0.value > 0 && $0.minimum > 0 })
    #expect(rows.flatMap(\.ratios).allSatisfy { $0.value > 0 && $0.value.isFinite })
    #expect(rows.flatMap(\.demands).count == 9)
    #expect(!Files.exists(Programs.scratch))
  }

  @Test func `does the same work in every run`() throws {
    #expect(try measure().digest == measure().digest)
  }

  @Test func `measures another folder beside ours`() throws {
    let folder = "\(Files.environment("TMPDIR") ?? "/tmp")/peer-\(Clocks.monotonicNs)"
    try Files.makeDirectory(folder)
    let measured = try measure(against: folder)
    #expect(measured.sections[0].rows.contains { $0.implementation == "peer" })
    #expect(measured.notes.contains { $0.contains("is no FUSE mount") })
    // Nothing of ours is left in it, or it could not be removed.
    try Files.remove(folder)
  }

  @Test func `refuses a folder that is none`() {
    #expect(throws: BenchmarkError.self) { try measure(against: "/dev/null") }
    #expect(throws: BenchmarkError.self) { try measure(against: "/nowhere") }
    #expect(!Files.exists(Programs.scratch))
  }

  @Test func `stops when it is told to, and leaves nothing`() {
    let asked = Locked(0)
    // Somewhere in the middle of a round.
    let watch = Watch(
      shouldStop: {
        asked.withLock { count in
          count += 1
          return count > 8
        }
      }, progress: { _, _ in })
    #expect(throws: BenchmarkError.interrupted) { try measure(watch) }
    #expect(!Files.exists(Programs.scratch))
  }
}

extension Watch {
  static let quiet = Watch(shouldStop: { false }, progress: { _, _ in })
}

/// The programs beside the tests.
enum Programs {
  static let canMount = (try? FuseDevice.check()) != nil

  static var lab: String {
    let own = (try? Files.currentExecutable()) ?? "/"
    return own.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/lab"
  }

  /// Where a run of this process keeps its things.
  static var scratch: String { scratch(of: getpid()) }

  static func scratch(of process: Int32) -> String {
    "\(Files.environment("TMPDIR") ?? "/tmp")/lab-bench-\(process)"
  }
}
