import Glibc
import JSON

/// The only way to print: whole lines, results on stdout, everything else on stderr.
///
/// When stdout cannot be written any more, ``Settings/whenLost`` is called: by default the process
/// ends, quietly when nobody reads, and else with a word on stderr. A closed stderr is not noticed.
package final class Console: @unchecked Sendable {
  // `lock` serialises all access to what varies: `state`, and the writes.

  package struct Settings: Sendable {
    package var color = ColorChoice.auto
    /// The value of `NO_COLOR`.
    package var noColor: String?
    /// The value of `TERM`.
    package var terminal: String?
    /// A monotonic clock, for the rate of redrawing.
    package var now: @Sendable () -> Duration = { .zero }
    package var whenLost: @Sendable (ExitCode) -> Void = { exit($0.rawValue) }
    /// How the commands in its lines are to be typed; `nil`: as they are.
    package var name: TypedName?

    package init() {}
  }

  private struct State {
    var color: ColorChoice
    var isQuiet = false
    var isVerbose = false
    var progressLine: String?
    var lastDrawn: Duration?
    /// When the log of a CI run last heard of a phase.
    var lastTold: Duration?
  }

  /// Results in a pipe or a file are at most this wide.
  package static let columnMax = 100

  private let output: any LineSink
  private let errors: any LineSink
  private let settings: Settings
  private let lock = ConsoleLock()
  private var state: State

  package init(output: any LineSink, errors: any LineSink, _ settings: Settings = Settings()) {
    self.output = output
    self.errors = errors
    self.settings = settings
    state = State(color: settings.color)
  }

  /// Takes over `-q`, `-v` and `--color`.
  package func apply(_ invocation: Invocation) {
    lock.locked {
      state.isQuiet = invocation.has(CommonOptions.quiet)
      state.isVerbose = invocation.has(CommonOptions.verbose)
      state.color = invocation.value(CommonOptions.color) ?? settings.color
    }
  }
}

// MARK: - Lines

extension Console {
  package func result(_ line: String) { result([line]) }

  /// Prints lines that begin with a command to type: examples, a synopsis.
  package func result(openingWithCommands lines: [String]) {
    result(lines.map { settings.name?.opening($0) ?? $0 })
  }

  /// Writes lines to stdout, in one piece.
  package func result(_ lines: [String]) {
    let outcome = lock.locked {
      clearProgress()
      return output.write(bytes(lines))
    }
    switch outcome {
    case .written: break
    case .closed: settings.whenLost(.outputClosed)
    case .failed(let reason):
      error("lab: cannot write the results: \(reason)")
      settings.whenLost(.couldNotRun)
    }
  }

  /// Tells on stderr what happens; not with `-q`.
  package func note(_ line: String) { tell(line) { !$0.isQuiet } }

  /// Tells on stderr what only `-v` wants to know.
  package func detail(_ line: String) { tell(line) { $0.isVerbose } }

  /// Tells on stderr what went wrong, always.
  package func error(_ line: String) { tell(line) { _ in true } }

  package var isQuiet: Bool { lock.locked { state.isQuiet } }
  package var isVerbose: Bool { lock.locked { state.isVerbose } }

  /// How wide results may be: the terminal's width, and at most 100.
  package var columnCount: Int { min(output.columnCount ?? Self.columnMax, Self.columnMax) }

  private func tell(_ line: String, if wanted: (State) -> Bool) {
    lock.locked {
      guard wanted(state) else { return }
      clearProgress()
      _ = errors.write(bytes([line]))
    }
  }

  private func bytes(_ lines: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      bytes += (settings.name?.afterHints(line) ?? line).utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}

// MARK: - Colour

extension Console {
  /// The text in the colour of a tone, if results are in colour.
  package func painted(_ text: String, _ tone: Tone) -> String {
    guard isColored(output) else { return text }
    return tone.escape + text + Tone.reset
  }

  private func isColored(_ sink: any LineSink) -> Bool {
    switch lock.locked({ state.color }) {
    case .always: true
    case .never: false
    case .auto: sink.isTerminal && (settings.noColor ?? "").isEmpty && settings.terminal != "dumb"
    }
  }
}

// MARK: - Progress

extension Console {
  private static let redrawInterval = Duration.milliseconds(100)
  private static let silenceMax = Duration.seconds(30)
  private static let clearLine = "\r\u{1B}[K"

  /// Draws the line of a running phase, at most ten times a second; where stderr is no terminal, writes
  /// a line after each half minute of silence.
  func drawProgress(bar line: String, plain: String) {
    lock.locked {
      guard !state.isQuiet else { return }
      let now = settings.now()
      guard errors.isTerminal else {
        guard now - (state.lastTold ?? now) >= Self.silenceMax else {
          state.lastTold = state.lastTold ?? now
          return
        }
        state.lastTold = now
        _ = errors.write(bytes([plain]))
        return
      }
      if let last = state.lastDrawn, now - last < Self.redrawInterval { return }
      state.lastDrawn = now
      // One less than the width: a full line would wrap, and could not be cleared.
      let cut = String(line.prefix((errors.columnCount ?? Self.columnMax) - 1))
      if cut == state.progressLine { return }
      state.progressLine = cut
      _ = errors.write(Array((Self.clearLine + cut).utf8))
    }
  }

  /// Ends a phase: its last line stays.
  func finishProgress(bar: String, plain: String) {
    lock.locked {
      clearProgress()
      state.lastDrawn = nil
      state.lastTold = settings.now()
      if !state.isQuiet { _ = errors.write(bytes([errors.isTerminal ? bar : plain])) }
    }
  }

  /// Only with the lock held.
  private func clearProgress() {
    guard state.progressLine != nil else { return }
    state.progressLine = nil
    _ = errors.write(Array(Self.clearLine.utf8))
  }
}
