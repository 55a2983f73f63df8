import Benchmarks
import Chaos
import JSON
import Linux
import Terminal

/// `lab bench SUITE`: measurements on this machine.
enum BenchCommand {
  private static let rounds = Option(
    "rounds", .integer("N", in: 1...999),
    "how many rounds; default \(FilesystemSuite.Parameters.real.roundCount)")
  private static let against = Option(
    "against", .text("DIR"), "measure the file system of this folder as well")
  private static let smoke = Flag("smoke", "a quick pass, to see that all runs: no figures")

  static var command: Command {
    var command = Command("bench", "how fast the lab is on this machine", run: run)
    command.description = [
      "Without SUITE, lists the suites. Ratios of one run can be compared with those of another "
        + "machine, times cannot: close other programs first.",
      "filesystem measures a mounted phone on one processor, beside the least that two processes "
        + "need to talk and a file system in memory; --against adds any other FUSE mount.",
    ]
    command.arguments = [
      Argument("SUITE", .optional, kind: "suite", words: Suites.all.map { $0.name })
    ]
    command.options = [rounds, against, smoke, json]
    command.examples = [
      ("lab bench filesystem", "in about half a minute"),
      ("lab bench filesystem --against DIR", "beside another FUSE mount"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    guard invocation.argument("SUITE") != nil else {
      for suite in Suites.all { console.result("  \(suite.name)  \(suite.summary)") }
      console.result("next: lab bench \(Suites.all[0].name)")
      return .asExpected
    }
    let interrupts = try Interrupts(console, "stopping (again: at once)")
    let suite = try filesystem(invocation)
    do {
      let measured = try suite.run(watch(interrupts, console))
      let report = BenchmarkReport(measured)
      if invocation.has(json) {
        console.result(JSONWriter.text(of: report.json, .pretty))
      } else {
        console.result(report.lines(for: console))
      }
      return .asExpected
    } catch {
      // Ctrl-C reaches the measured phone as well, which may end before we hear of it.
      guard error as? BenchmarkError == .interrupted || interrupts.wait(timeoutMs: 500) != nil
      else { throw error }
      console.error("INTERRUPTED: no figures")
      return .interrupted
    }
  }

  private static func filesystem(_ invocation: Invocation) throws -> FilesystemSuite {
    var parameters: FilesystemSuite.Parameters = invocation.has(smoke) ? .smoke : .real
    if let count = invocation.value(rounds) { parameters.roundCount = count }
    let executable = try Files.currentExecutable()
    return FilesystemSuite(
      parameters, executable: executable,
      programs: try PhoneHost.Programs(besideExecutable: executable),
      peer: invocation.value(against))
  }

  private static func watch(_ interrupts: Interrupts, _ console: Console) -> Watch {
    let phase = Phase(FilesystemSuite.name, on: console)
    return Watch(
      shouldStop: { interrupts.isRaised },
      progress: { done, all in
        if done == all {
          phase.end("\(done) rounds")
        } else {
          phase.update(Double(done) / Double(all), "round \(done) of \(all)")
        }
      })
  }
}
