import Chaos
import JSON
import Linux
import Reports
import Terminal

/// `lab merge`: what the shards of a run came to, as one report.
enum MergeCommand {
  static var command: Command {
    var command = Command("merge", "join what shards wrote with --json into one report", run: run)
    command.description = [
      "Takes the files that `lab chaos --shard I/N --json` or `lab compare --shard I/N --json` wrote "
        + "on one machine or many: all N of them, each once, of the same run. It prints what one run "
        + "without --shard would have printed, byte for byte with --json, and ends as that would.",
      "Another seed, another plan, another version of lab, a shard twice, a missing one, or one that "
        + "was interrupted are refused by the name of the file.",
    ]
    command.arguments = [Argument("FILE", .some)]
    command.options = [ChaosCommand.out, json, ReportOptions.html, ReportOptions.junit]
    command.environment = ReportOptions.environment
    command.exitCodes = [
      (.finding, "a finding"), (.neverFired, "an armed fault never fired"),
      (.couldNotRun, "the files are not the shards of one run"),
    ]
    command.examples = [
      ("lab merge shard-*.json", "the table of the whole run"),
      ("lab merge shard-*.json --json", "the same for programs"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    try ReportOptions.check(invocation)
    let parts = try invocation.arguments("FILE").map { (file: $0, part: try read($0)) }
    guard let first = parts.first else { return .asExpected }
    let results: [Int: JSONNode]
    do {
      results = try ShardResults.merged(parts, version: Lab.version)
    } catch {
      throw Failure(.couldNotRun, ["\(error)", "Nothing was merged."], isBare: true)
    }
    let work = try inFile(first.file) {
      try SharedWork(schema: first.part.schema, plan: first.part.plan)
    }
    for (file, part) in parts { try check(part, of: work, file) }
    return try inFile(first.file) {
      switch work {
      case .chaos(let plan, let gallery):
        try ChaosCommand.conclude(plan, gallery, results, invocation, console)
      case .comparison where invocation.value(ReportOptions.junit) != nil:
        throw Failure.wrongUsage(
          "--junit: these are shards of lab compare, which judges nobody",
          help: "lab merge --help")
      case .comparison(let plan):
        try CompareCommand.conclude(plan, results, invocation, console)
      }
    }
  }

  private static func read(_ path: String) throws -> ShardResults {
    let text = try InputFile.read(path)
    do {
      return try ShardResults(JSONReader.read(text))
    } catch {
      throw Failure(
        .couldNotRun,
        [Diagnostic(error, file: path, source: text).headline, "Nothing was merged."],
        isBare: true)
    }
  }

  /// An interrupted shard has not done all of its units.
  private static func check(_ part: ShardResults, of work: SharedWork, _ file: String) throws {
    let units = work.units
    let missing = units.indices.filter { part.shard.takes($0) && part.results[$0] == nil }
    guard let first = missing.first else { return }
    throw Failure(
      .couldNotRun,
      [
        "\(file): shard \(part.shard) did not end: \(Counted.words(missing.count, "unit is", "units are")) missing, the first is "
          + units[first].name, "Nothing was merged.",
      ], isBare: true)
  }

  /// Results that cannot be read are those of another build.
  private static func inFile<Result>(
    _ file: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as JSONError {
      throw Failure(.couldNotRun, ["\(file):\(error)", "Nothing was merged."], isBare: true)
    }
  }
}
