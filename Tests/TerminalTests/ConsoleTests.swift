import Foundation
import Synchronization
import Terminal
import Testing

@Suite struct `A console` {
  private let output = MemorySink()
  private let errors = MemorySink()

  @Test func `keeps results and the rest apart`() {
    let console = Console(output: output, errors: errors)
    console.result(["one", "two"])
    console.note("note")
    console.detail("detail")
    console.error("error")
    #expect(output.text == "one\ntwo\n")
    #expect(errors.text == "note\nerror\n")
  }

  @Test func `says less with -q and more with -v`() {
    var said = ""
    let sample = SampleProgram { _, console in
      console.note("note")
      console.detail("detail")
      console.error("error")
      return .asExpected
    }
    _ = sample.run("mount", "-q")
    said = sample.errors.text
    #expect(said == "error\n")
    _ = sample.run("mount", "-v")
    #expect(sample.errors.text == said + "note\ndetail\nerror\n")
  }

  @Test(arguments: [
    (WriteOutcome.closed, ExitCode.outputClosed, "b\n"),
    (.failed("no room"), .couldNotRun, "b\nlab: cannot write the results: no room\n"),
  ]) func `ends when its results are lost, and says why unless nobody reads`(
    outcome: WriteOutcome, code: ExitCode, said: String
  ) {
    let codes = Mutex<[ExitCode]>([])
    let note: @Sendable (ExitCode) -> Void = { code in codes.withLock { $0.append(code) } }
    var settings = Console.Settings()
    settings.whenLost = note
    let console = Console(output: output, errors: errors, settings)
    console.result("a")
    output.lose(outcome)
    console.error("b")
    #expect(codes.withLock { $0 } == [])
    console.result("c")
    #expect(codes.withLock { $0 } == [code])
    #expect(errors.text == said)
    errors.lose(.closed)
    console.error("nobody reads this")
    #expect(codes.withLock { $0 } == [code])
  }

  @Test func `notices a full disk`() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let sink = DescriptorSink(full.fileDescriptor)
    #expect(sink.write([1]) == .failed("No space left on device"))
  }

  @Test func `notices a closed pipe`() throws {
    DescriptorSink.ignoreClosedPipes()
    let pipe = Pipe()
    let sink = DescriptorSink(pipe.fileHandleForWriting.fileDescriptor)
    #expect(sink.write(Array("line\n".utf8)) == .written)
    #expect(!sink.isTerminal && sink.columnCount == nil)
    #expect(pipe.fileHandleForReading.availableData == Data("line\n".utf8))
    try pipe.fileHandleForReading.close()
    #expect(sink.write(Array("line\n".utf8)) == .closed)
  }

  @Test(
    arguments: [
      (ColorChoice.auto, true, nil, "xterm", true), (.auto, true, "", "xterm", true),
      (.auto, true, "1", "xterm", false), (.auto, true, nil, "dumb", false),
      (.auto, false, nil, "xterm", false), (.always, false, "1", "dumb", true),
      (.never, true, nil, "xterm", false),
    ] as [(ColorChoice, Bool, String?, String, Bool)])
  func `is in colour when it may be`(
    choice: ColorChoice, isTerminal: Bool, noColor: String?, terminal: String, isColored: Bool
  ) {
    var settings = Console.Settings()
    settings.color = choice
    settings.noColor = noColor
    settings.terminal = terminal
    let console = Console(output: MemorySink(isTerminal: isTerminal), errors: errors, settings)
    #expect((console.painted("keep", .good) != "keep") == isColored)
    #expect(console.painted("keep", .good).contains("keep"))
  }

  @Test func `is at most 100 columns wide`() {
    for (columns, expected) in [(nil, 100), (60, 60), (200, 100)] as [(Int?, Int)] {
      let sink = MemorySink(isTerminal: true, columnCount: columns)
      #expect(Console(output: sink, errors: errors).columnCount == expected)
    }
  }
}

@Suite struct `Progress` {
  private static let clear = "\r\u{1B}[K"
  private final class Clock: Sendable {
    let time = Mutex(Duration.zero)
  }

  private func console(_ errors: MemorySink, _ clock: Clock) -> Console {
    var settings = Console.Settings()
    settings.now = { clock.time.withLock { $0 } }
    return Console(output: MemorySink(), errors: errors, settings)
  }

  @Test func `is one line per finished phase in a pipe`() {
    let errors = MemorySink()
    let phase = Phase("gallery", nameWidth: 11, on: console(errors, Clock()))
    phase.update(0.5, "half")
    phase.end("212 of 212, done in 41s")
    #expect(errors.text == "gallery: 212 of 212, done in 41s\n")
  }

  @Test func `is a line each half minute in a pipe while a phase goes on`() {
    let errors = MemorySink()
    let clock = Clock()
    let phase = Phase("gallery", nameWidth: 11, on: console(errors, clock))
    for second in 0...95 {
      clock.time.withLock { $0 = .seconds(second) }
      phase.update(0.5, "at \(second)")
    }
    phase.end("done")
    #expect(errors.text == "gallery: at 30\ngallery: at 60\ngallery: at 90\ngallery: done\n")
  }

  @Test func `is redrawn ten times a second at most, and stays when it ends`() {
    let errors = MemorySink(isTerminal: true, columnCount: 80)
    let clock = Clock()
    let phase = Phase("gallery", nameWidth: 11, on: console(errors, clock))
    for millisecond in 0..<250 {
      clock.time.withLock { $0 = .milliseconds(millisecond) }
      phase.update(Double(millisecond) / 250, "at \(millisecond)")
    }
    phase.end("done")
    #expect(
      errors.text == Self.clear + "  gallery      [....................] at 0" + Self.clear
        + "  gallery      [########............] at 100" + Self.clear
        + "  gallery      [################....] at 200" + Self.clear
        + "  gallery      [####################] done\n")
  }

  @Test func `makes way for other lines, and never wraps`() {
    let errors = MemorySink(isTerminal: true, columnCount: 20)
    let console = console(errors, Clock())
    Phase("gallery", on: console).update(.nan, "a long remark")
    console.note("note")
    #expect(errors.text == Self.clear + "  gallery  [......." + Self.clear + "note\n")
  }

  @Test func `is not drawn with -q`() {
    let errors = MemorySink(isTerminal: true)
    let sample = SampleProgram { _, console in
      Phase("gallery", on: console).update(0.5, "x")
      Phase("gallery", on: console).end("x")
      return .asExpected
    }
    _ = sample.program.run(["mount", "-q"], on: Console(output: sample.output, errors: errors))
    #expect(errors.text == "")
  }
}
