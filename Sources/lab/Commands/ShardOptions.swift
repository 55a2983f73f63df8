import Chaos
import JSON
import Linux
import Reports
import Terminal

/// How a command's work is shared: among child processes here, and among machines.
enum ShardOptions {
  static let jobs = Option(
    "jobs", .integer("N", in: 1...1024), "how many processes share the work; default one a core")
  static let shard = Option(
    "shard", .text("I/N"),
    "only this part of the work, for lab merge; 'auto' reads what CI systems, Kubernetes and Slurm "
      + "set")

  static let environment = Shard.variables

  /// The part of the work that was asked for; `nil` for all of it.
  ///
  /// - Throws: `Failure` with 64 for a part that there is not.
  static func shard(_ invocation: Invocation) throws -> Shard? {
    guard let text = invocation.value(shard) else { return nil }
    do {
      return try text == "auto" ? Shard(environment: Files.environment) : Shard(text)
    } catch {
      throw Failure.wrongUsage("\(error)", help: "lab \(invocation.command) --help")
    }
  }

  /// Does the work, or the part that was asked for, with a line of progress for each phase.
  ///
  /// - Parameters:
  ///   - work: All of the work.
  ///   - invocation: What was asked for.
  ///   - interrupts: Whether somebody wants to stop.
  ///   - console: Shows the progress.
  ///   - endNs: When the last unit may begin, by the monotonic clock.
  ///   - findingCount: How many findings a result stands for; `nil` for work that judges nobody.
  /// - Returns: What the processes came to.
  /// - Throws: `Failure` when they could not do it.
  static func perform(
    _ work: SharedWork, _ invocation: Invocation, _ interrupts: Interrupts, _ console: Console,
    endNs: Int64? = nil, findingCount: ((Int, JSONNode) throws -> Int)? = nil
  ) throws -> Workforce.Ending {
    let shard = try shard(invocation) ?? .whole
    let jobs = try invocation.value(jobs) ?? Affinity.processors().count
    var progress = WorkProgress(work.units, shard, on: console)
    let force = Workforce(work, interrupts, console)
    return try force.run(shard, jobs: jobs, endNs: endNs) { unit, result in
      progress.note(unit, findingCount: try findingCount?(unit, result))
    }
  }

  /// A document with what `lab merge` needs, when only a part was asked for.
  static func document(
    _ json: JSONValue, of work: SharedWork, _ results: [Int: JSONNode], _ invocation: Invocation
  ) throws -> JSONValue {
    guard let shard = try shard(invocation) else { return json }
    return ShardResults.added(
      to: json, shard, version: Lab.version, plan: work.plan, results: results)
  }
}
