import Terminal

/// A small program with each kind of argument and option.
struct SampleProgram {
  enum Tier: String, CaseIterable, Sendable { case simulated, mounted, both }

  static let seed = Option("seed", .seed, "start of all draws")
  static let budget = Option("budget", .duration, "how long to look, such as 30s or 5m")
  static let tier = Option<Tier>("tier", .word("TIER"), "where to run: simulated|mounted|both")
  static let times = Option("times", .integer("N", in: 1...9), "how often")
  static let app = Option("app", .text("COMMAND"), "your own app", isRepeatable: true)
  static let json = Flag("json", "print one JSON object")

  let output = MemorySink()
  let errors = MemorySink()
  var program = Program(
    name: "lab", version: "0.1.0", summary: "find out why your app logs people out", commands: [])

  init(run: @escaping (Invocation, Console) throws -> ExitCode = { _, _ in .asExpected }) {
    var chaos = Command("chaos", "the main job: gallery, exploration, random campaign", run: run)
    chaos.description = [
      "Runs all scenarios on both tiers, explores the durable store, and draws random histories "
        + "until the budget is used up.", "Known losses are shown, and are no findings.",
    ]
    chaos.options = [Self.seed, Self.budget, Self.tier, Self.times, Self.app, Self.json]
    chaos.exitCodes = [(.finding, "a finding"), (.neverFired, "an armed fault never fired")]
    chaos.environment = [("LAB_VECTORS", "a folder of recordings")]
    chaos.examples = [("lab chaos --budget 5m", "look for five minutes")]
    var list = Command("list", "what there is", run: run)
    list.arguments = [
      Argument("THING", kind: "list", words: ["faults", "scenarios", "stores"]),
      Argument("NAME", .any),
    ]
    var with = Command("with", "a scoped fault around a command", run: run)
    with.arguments = [Argument("FAULT"), Argument("COMMAND", .afterDashes)]
    var mount = Command("mount", "a live device", run: run)
    mount.arguments = [Argument("DIR", .optional)]
    program.commands = [chaos, list, with, mount]
    program.usual = [("lab chaos", "look everywhere"), ("lab mount DIR", "a live phone")]
  }

  func run(_ arguments: String...) -> ExitCode {
    program.run(arguments, on: Console(output: output, errors: errors))
  }
}
