import Synchronization
import Terminal
import Testing

@Suite struct `A command line` {
  /// What the command got, or `nil` if it did not run.
  private func parsed(_ arguments: [String]) -> Invocation? {
    let seen = Mutex<Invocation?>(nil)
    let sample = SampleProgram { invocation, _ in
      seen.withLock { $0 = invocation }
      return .asExpected
    }
    _ = sample.program.run(
      arguments, on: Console(output: sample.output, errors: sample.errors))
    return seen.withLock { $0 }
  }

  @Test func `takes values behind a blank or an equals sign`() throws {
    for arguments in [["--seed", "7", "--json"], ["--json", "--seed=7"]] {
      let invocation = try #require(parsed(["chaos"] + arguments))
      #expect(invocation.value(SampleProgram.seed) == 7)
      #expect(invocation.has(SampleProgram.json))
      #expect(invocation.value(SampleProgram.tier) == nil)
    }
    let app = try #require(parsed(["chaos", "--app=node --x=1", "--app", "-"]))
    #expect(app.values(SampleProgram.app) == ["node --x=1", "-"])
  }

  @Test func `gives typed values`() throws {
    let invocation = try #require(
      parsed(["chaos", "--budget", "2m30s", "--tier", "both", "--times", "9"]))
    #expect(invocation.value(SampleProgram.budget) == .seconds(150))
    #expect(invocation.value(SampleProgram.tier) == .both)
    #expect(invocation.value(SampleProgram.times) == 9)
  }

  @Test func `gives words to arguments from left to right`() throws {
    let list = try #require(parsed(["list", "faults", "a", "b"]))
    #expect(list.argument("THING") == "faults")
    #expect(list.arguments("NAME") == ["a", "b"])
    let mount = try #require(parsed(["mount"]))
    #expect(mount.argument("DIR") == nil)
  }

  @Test func `stops at two dashes`() throws {
    let with = try #require(parsed(["with", "kill", "--", "node", "--seed", "-x"]))
    #expect(with.argument("FAULT") == "kill")
    #expect(with.arguments("COMMAND") == ["node", "--seed", "-x"])
    let mount = try #require(parsed(["mount", "--", "--json"]))
    #expect(mount.argument("DIR") == "--json")
  }

  @Test func `takes common options before and behind the command`() throws {
    for arguments in [["-q", "mount"], ["mount", "-q"], ["--color", "never", "-q", "mount"]] {
      #expect(try #require(parsed(arguments)).has(CommonOptions.quiet))
    }
  }

  @Test(arguments: [
    (["chaso"], "lab: no command 'chaso'; nearest: chaos"),
    (["x"], "lab: no command 'x'; there are: chaos list with mount"),
    (["chaos", "--sed", "7"], "lab: chaos has no option '--sed'; nearest: --seed"),
    (["chaos", "-x"], "lab: chaos has no option '-x'"),
    (["chaos", "-qv"], "lab: chaos has no option '-qv'"),
    (["chaos", "--seed", "7", "--seed=8"], "lab: --seed is given twice"),
    (["chaos", "-q", "--quiet"], "lab: --quiet is given twice"),
    (["chaos", "--seed"], "lab: --seed needs a value: --seed N"),
    (["chaos", "--seed", "--json"], "lab: --seed needs a value: --seed N"),
    (["chaos", "--json=yes"], "lab: --json takes no value"),
    (["chaos", "--times", "10"], "lab: --times: '10' is not a whole number, 1 to 9"),
    (["chaos", "--times", "+1"], "lab: --times: '+1' is not a whole number, 1 to 9"),
    (
      ["chaos", "--seed", "-1"],
      "lab: --seed: '-1' is not a whole number, 0 to 18446744073709551615"
    ),
    (["chaos", "--budget", "30"], "lab: --budget: '30' is not a time such as 30s, 5m or 2m30s"),
    (
      ["chaos", "--tier", "mountde"],
      "lab: --tier: no 'mountde'; nearest: mounted   (simulated|mounted|both)"
    ),
    (["chaos", "--app="], "lab: --app: '' is not a text"),
    (["chaos", "now"], "lab: chaos takes no 'now'"),
    (["list"], "lab: list needs THING"),
    (["list", "fualts"], "lab: no list 'fualts'; nearest: faults"),
    (["with", "kill", "node"], "lab: with needs -- COMMAND..."),
    (["with", "kill", "--"], "lab: with needs -- COMMAND..."),
    (["with", "kill", "node", "--", "x"], "lab: with takes no 'node'"),
    (["--vresion"], "lab: no option '--vresion'; nearest: --version"),
    (["--quiet"], "lab: '--quiet' needs a command behind it"),
  ]) func `that is wrong ends with 64 and the nearest word`(arguments: [String], line: String) {
    let sample = SampleProgram()
    let code = sample.program.run(
      arguments, on: Console(output: sample.output, errors: sample.errors))
    #expect(code == .wrongUsage)
    #expect(sample.output.text == "")
    let lines = sample.errors.text.split(separator: "\n")
    #expect(lines.first.map(String.init) == line)
    #expect(lines.count == 2 && lines[1].hasPrefix("help: lab "))
  }
}
