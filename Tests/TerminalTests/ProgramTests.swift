import Terminal
import Testing

@Suite struct `A program` {
  @Test func `alone shows the usual commands`() {
    let sample = SampleProgram()
    #expect(sample.run() == .asExpected)
    #expect(
      sample.output.text == """
        lab: find out why your app logs people out

          lab chaos       look everywhere
          lab mount DIR   a live phone

        all commands: lab --help     one of them: lab COMMAND --help

        """)
  }

  @Test func `says its version`() {
    let sample = SampleProgram()
    #expect(sample.run("--version") == .asExpected)
    #expect(sample.output.text == "lab 0.1.0\n")
  }

  @Test(arguments: [["chaos", "--help"], ["chaos", "-h"], ["help", "chaos"], ["-h", "chaos"]])
  func `prints a command's page on stdout`(arguments: [String]) {
    let sample = SampleProgram()
    let code = sample.program.run(
      arguments, on: Console(output: sample.output, errors: sample.errors))
    #expect(code == .asExpected)
    #expect(sample.errors.text == "")
    #expect(sample.output.text == Self.chaosPage)
  }

  @Test func `prints help even if the rest is wrong`() {
    let sample = SampleProgram()
    #expect(sample.run("list", "--help", "--no-such") == .asExpected)
    #expect(sample.output.text.hasPrefix("NAME\n     lab list - what there is\n"))
  }

  @Test(arguments: [["--help"], ["-h"], ["help"]]) func `lists all commands`(arguments: [String]) {
    let sample = SampleProgram()
    let code = sample.program.run(
      arguments, on: Console(output: sample.output, errors: sample.errors))
    #expect(code == .asExpected)
    for name in ["chaos", "list", "with", "mount"] {
      #expect(sample.output.text.contains("\n     \(name)  "))
    }
    let lines = sample.output.text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(
      lines.filter { $0.first?.isUppercase ?? false }
        == ["NAME", "SYNOPSIS", "COMMANDS", "OPTIONS", "EXIT STATUS", "ENVIRONMENT"])
  }

  @Test func `refuses help on an unknown command`() {
    let sample = SampleProgram()
    #expect(sample.run("help", "chaso") == .wrongUsage)
    #expect(sample.errors.text.hasPrefix("lab: no command 'chaso'; nearest: chaos\n"))
  }

  @Test func `ends with the code of its command`() {
    #expect(SampleProgram { _, _ in .finding }.run("chaos") == .finding)
    #expect(SampleProgram { _, _ in ExitCode(rawValue: 9) }.run("mount").rawValue == 9)
  }

  @Test func `says a failure and ends with its code`() {
    let sample = SampleProgram { _, _ in
      throw Failure.couldNotRun("cannot mount: /dev/fuse is missing", do: "sudo modprobe fuse")
    }
    #expect(sample.run("mount") == .couldNotRun)
    let line = "lab: cannot mount: /dev/fuse is missing.  do: sudo modprobe fuse\n"
    #expect(sample.errors.text == line)
    let bare = SampleProgram { _, _ in
      throw Failure(.couldNotRun, ["a.json5:1:2: bad", "  1 | x"], isBare: true)
    }
    #expect(bare.run("chaos") == .couldNotRun)
    #expect(bare.errors.text == "a.json5:1:2: bad\n  1 | x\n")
  }

  @Test func `says any other error in one line`() {
    struct Odd: Error, CustomStringConvertible { let description = "an odd thing" }
    let sample = SampleProgram { _, _ in throw Odd() }
    #expect(sample.run("chaos") == .couldNotRun)
    #expect(sample.errors.text == "lab: an odd thing\n")
  }

  private static let chaosPage = """
    NAME
         lab chaos - the main job: gallery, exploration, random campaign

    SYNOPSIS
         lab chaos [OPTION]...

    DESCRIPTION
         Runs all scenarios on both tiers, explores the durable store, and draws
         random histories until the budget is used up.

         Known losses are shown, and are no findings.

    OPTIONS
         --seed N          start of all draws
         --budget TIME     how long to look, such as 30s or 5m
         --tier TIER       where to run: simulated|mounted|both
         --times N         how often
         --app COMMAND     your own app
         --json            print one JSON object
         --help            print this page (-h)
         --quiet           no progress and no notes (-q)
         --verbose         more rows and file names (-v)
         --color WHEN      auto|always|never; auto obeys NO_COLOR and pipes

    EXIT STATUS
         0                 ran, all as expected
         1                 a finding
         2                 could not run; says what is missing, and how to get it
         3                 an armed fault never fired
         64                wrong usage
         70                a defect of the lab
         130               interrupted

    ENVIRONMENT
         LAB_VECTORS       a folder of recordings
         NO_COLOR          when set and not empty, no colour unless --color always

    EXAMPLES
         lab chaos --budget 5m
             look for five minutes

    """
}
