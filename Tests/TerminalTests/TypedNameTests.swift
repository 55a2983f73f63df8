import Terminal
import Testing

@Suite struct `The program's name in commands that are to be typed` {
  private let output = MemorySink()

  private func printed(_ lines: [String], calledAs call: String) -> String {
    var settings = Console.Settings()
    settings.name = TypedName("lab", calledAs: call)
    Console(output: output, errors: output, settings).result(lines)
    return output.text
  }

  @Test(arguments: [
    ("lab", "lab"), ("/opt/lab/bin/lab", "lab"), ("./lab", "./lab"), ("../lab/lab", "../lab/lab"),
    ("my tools/lab", "'my tools/lab'"),
  ])
  func `is that with which it was called`(call: String, name: String) {
    let lines = [
      "next: ./lab chaos   (everything)", "replay: lab replay a.json",
      "  on a device: ./lab replay a",
      "lab: no phone.  do: lab mount my-phone &", "do: lab install   (or: sudo lab install)",
    ]
    #expect(
      printed(lines, calledAs: call) == """
        next: \(name) chaos   (everything)
        replay: \(name) replay a.json
          on a device: \(name) replay a
        lab: no phone.  do: \(name) mount my-phone &
        do: \(name) install   (or: sudo \(name) install)

        """)
  }

  @Test(arguments: [
    "lab 0.1.0  seed 3", "a defect of the lab: worker 1", "again: lab run --app 'node lab x'",
    #"    "replay": "do: ./lab replay a.json""#, #"{"reason": "x.  do: lab status now"}"#,
  ])
  func `stays where no command begins, and in JSON`(line: String) {
    let expected = line.replacing("again: lab", with: "again: ./lab")
    #expect(printed([line], calledAs: "./lab") == expected + "\n")
  }

  @Test func `stands before examples, too`() {
    var settings = Console.Settings()
    settings.name = TypedName("lab", calledAs: "./lab")
    Console(output: output, errors: output, settings).result(openingWithCommands: [
      "     lab chaos --seed 7", "lab: a summary", "  the lab run",
    ])
    #expect(output.text == "     ./lab chaos --seed 7\nlab: a summary\n  the lab run\n")
  }
}
