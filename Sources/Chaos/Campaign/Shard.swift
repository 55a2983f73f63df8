/// One of several parts of work whose units are numbered from 0.
///
/// Which units a part has follows from the numbers alone, so that machines which know nothing of each
/// other share the work.
package struct Shard: Hashable, Sendable {
  /// From 1 to ``count``.
  package let index: Int
  package let count: Int

  package static let whole = Shard(1, of: 1)

  package init(_ index: Int, of count: Int) {
    precondition((1...count).contains(index), "a shard is one of its count")
    self.index = index
    self.count = count
  }

  /// Reads `2/4`.
  ///
  /// - Throws: ``ShardError`` for anything else, and for a part that there is not.
  package init(_ text: String) throws(ShardError) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let index = numbers[0], let count = numbers[1] else {
      throw ShardError("'\(text)' is no shard such as 2/4")
    }
    try self.init(checked: index, of: count, "'\(text)'")
  }

  fileprivate init(checked index: Int, of count: Int, _ place: String) throws(ShardError) {
    guard (1...Self.countMax).contains(count), (1...count).contains(index) else {
      throw ShardError(
        "\(place): shard \(index) of \(count) is out of range; shards are numbered from 1 to the "
          + "count, \(Self.countMax) at most")
    }
    self.init(index, of: count)
  }

  private static let countMax = 10_000

  package func takes(_ unit: Int) -> Bool { unit % count == index - 1 }

  /// The parts of this part, each a shard of a finer split of the whole.
  package func split(into parts: Int) -> [Shard] {
    (0..<parts).map { Shard(index + $0 * count, of: count * parts) }
  }
}

extension Shard: CustomStringConvertible {
  package var description: String { "\(index)/\(count)" }
}

/// Why a text, or an environment, names no shard.
package struct ShardError: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Shard {
  /// The variables by which a scheduler tells a process which part it is.
  private struct Scheduler {
    let name: String
    let index: String
    let count: String
    /// The index of the first part.
    var first = 0
    /// A variable without which the scheduler is another one that uses the same names.
    var mark: String?
  }

  /// Kubernetes does not tell a pod how many completions there are, and GitHub sets no variable at all.
  private static let schedulers = [
    Scheduler(name: "your own", index: "LAB_SHARD_INDEX", count: "LAB_SHARD_COUNT"),
    Scheduler(
      name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1, mark: "GITLAB_CI"),
    Scheduler(name: "Heroku and others", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL"),
    Scheduler(name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL"),
    Scheduler(
      name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"),
    Scheduler(
      name: "Bitbucket", index: "BITBUCKET_PARALLEL_STEP", count: "BITBUCKET_PARALLEL_STEP_COUNT"),
    Scheduler(
      name: "Semaphore", index: "SEMAPHORE_JOB_INDEX", count: "SEMAPHORE_JOB_COUNT", first: 1),
    Scheduler(name: "Kubernetes", index: "JOB_COMPLETION_INDEX", count: "LAB_SHARD_COUNT"),
  ]

  /// The names of all variables that are looked at, for help.
  package static var variables: [(name: String, meaning: String)] {
    schedulers.map { ("\($0.index), \($0.count)", "--shard auto: \($0.name)") }
      + [("SLURM_ARRAY_TASK_ID, …", "--shard auto: Slurm, with its MIN, STEP and COUNT")]
  }

  /// The part that the scheduler of this machine gave to the process.
  ///
  /// - Parameter environment: Gives the value of a variable of the process.
  /// - Throws: ``ShardError`` when none has given any, or one without its count.
  package init(environment: (String) -> String?) throws(ShardError) {
    for scheduler in Self.schedulers {
      if let mark = scheduler.mark, environment(mark) == nil { continue }
      guard environment(scheduler.index) != nil else { continue }
      let index = try Self.number(scheduler.index, environment) - scheduler.first + 1
      try self.init(
        checked: index, of: try Self.number(scheduler.count, environment), scheduler.index)
      return
    }
    guard environment("SLURM_ARRAY_TASK_ID") != nil else {
      throw ShardError(
        "--shard auto: no scheduler has set its variables; set LAB_SHARD_INDEX (from 0) and "
          + "LAB_SHARD_COUNT")
    }
    try self.init(slurm: environment)
  }

  /// An array is a range with a step; a list of other numbers does not say which place a task has.
  private init(slurm environment: (String) -> String?) throws(ShardError) {
    func number(_ name: String) throws(ShardError) -> Int {
      try Self.number("SLURM_ARRAY_TASK_\(name)", environment)
    }
    let (first, last) = (try number("MIN"), try number("MAX"))
    let (step, count) = (max(1, try number("STEP")), try number("COUNT"))
    guard (last - first) / step + 1 == count else {
      throw ShardError(
        "SLURM_ARRAY_TASK_COUNT: \(count) tasks are no range; use --array=1-\(count)")
    }
    try self.init(
      checked: (try number("ID") - first) / step + 1, of: count, "SLURM_ARRAY_TASK_ID")
  }

  private static func number(
    _ name: String, _ environment: (String) -> String?
  ) throws(ShardError) -> Int {
    guard let text = environment(name) else { throw ShardError("--shard auto: \(name) is not set") }
    guard let number = Int(text) else { throw ShardError("\(name) '\(text)' is no number") }
    return number
  }
}
