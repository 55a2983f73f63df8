import Glibc
import JSON
import Linux
import Machine
import Ports

/// A program of somebody else's that speaks `lab.adapter/1` on its standard input and output.
///
/// It is a child of this process: a kill of this one ends it, too, and whatever it has started stays
/// among the descendants. Nothing that it does keeps this process waiting for longer than agreed.
final class AdapterProgram {
  struct Launch: Sendable {
    var words: [String]
    var patienceMs: Int
    /// What comes of each page that it opens for a sign-in.
    var browser: BrowserResult
  }

  private let launch: Launch
  private let secrets: SecretWords
  /// Waits for the program, and ends as it does.
  private let child: ChildProcess
  private let program: Int32?
  private let input: Descriptor
  private let output: Descriptor
  private let errors: Descriptor
  private var hasOutput = true
  private var hasErrors = true
  private var unread: [UInt8] = []
  /// How much of it has no line end.
  private var searched = 0
  private var unreadErrors: [UInt8] = []
  /// What it has printed on its standard error, without the middle.
  private var firstLines: [PrintedLine] = []
  private var lastLines: [PrintedLine] = []
  private var lineCount = 0
  /// Whether the last line has opened a list of numbers, as a key that is printed is.
  private var isInList = false

  private struct PrintedLine {
    let text: String
    let isInList: Bool
  }

  /// The command under way, and what is left of its time.
  private var doing = "launch"
  private var leftNs: Int64 = 0

  private static let lineBytesMax = 16 << 20
  /// The reason of an error is above the places of it, so the first lines are kept, too.
  private static let firstLinesMax = 5
  private static let lastLinesMax = 5
  /// What a pipe takes as a whole or not at all.
  private static let pieceBytes = 4096

  /// - Throws: ``AdapterProblem`` when the program could not be started.
  init(_ launch: Launch, _ secrets: SecretWords) throws {
    (self.launch, self.secrets) = (launch, secrets)
    Signals.ignoreBrokenPipes()
    try Runner.adoptOrphans()
    let (itsInput, input) = try Descriptor.pipe()
    let (output, itsOutput) = try Descriptor.pipe()
    let (errors, itsErrors) = try Descriptor.pipe()
    var start = ChildProcess.Launch(launch.words)
    start.descriptors = [itsInput, itsOutput, itsErrors]
    start.diesWithParent = true
    // It may well kill its parent.
    start.isGuarded = true
    do throws(SystemError) {
      child = try ChildProcess(start)
    } catch {
      throw AdapterProblem(
        "could not be started: \(error)", program: launch.words, doing: doing, lines: [])
    }
    program = ProcessTable.children(of: child.processNumber).first
    try input.setNonblocking(true)
    (self.input, self.output, self.errors) = (input, output, errors)
  }

  /// The time of a command begins.
  func begin(_ command: String) {
    doing = command
    leftNs = Int64(launch.patienceMs) * 1_000_000
  }

  func send(_ message: JSONValue) throws {
    let line = Array(JSONWriter.text(of: message).utf8) + [UInt8(ascii: "\n")]
    var sent = 0
    while sent < line.count {
      let piece = line[sent..<min(sent + Self.pieceBytes, line.count)]
      do throws(SystemError) {
        try input.write(piece)
        sent += piece.count
      } catch {
        guard error.code == EAGAIN else { throw try ending() }
        // It may be waiting for us to read what it prints.
        try listen(forMs: 2)
      }
    }
  }

  /// The next message of the program.
  ///
  /// - Throws: ``AdapterProblem``.
  func next() throws -> JSONNode {
    while true {
      if let message = try taken() { return message }
      guard hasOutput, !child.pidfd.hasEnded || hasUnreadOutput else { throw try ending() }
      try listen(forMs: nil)
    }
  }

  /// The next message, or `nil` when the program waits for an answer of the phone: it prints nothing, and
  /// neither it nor what it has started is running.
  ///
  /// - Throws: ``AdapterProblem``.
  func nextUnlessAtRest() throws -> JSONNode? {
    var (looks, rests) = (0, 0)
    while looks < Self.looksMax, rests < Self.restsMin {
      if let message = try taken() { return message }
      guard hasOutput, !child.pidfd.hasEnded || hasUnreadOutput else { throw try ending() }
      try listen(forMs: Self.lookMs)
      looks += 1
      rests = unread.isEmpty && Self.isAtRest(child.processNumber) ? rests + 1 : 0
    }
    return try taken()
  }

  /// How often the program is looked at until it counts as waiting, and at most; and how long it has
  /// between two looks.
  private static let (restsMin, looksMax, lookMs) = (4, 400, 5)

  private static func isAtRest(_ process: Int32) -> Bool {
    ProcessTable.isAsleep(process) && ProcessTable.children(of: process).allSatisfy(isAtRest)
  }

  /// A message that has come as a whole.
  private func taken() throws -> JSONNode? {
    guard let end = unread[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = unread.count
      guard unread.count <= Self.lineBytesMax else {
        throw problem("printed a line of more than \(Self.lineBytesMax >> 20) MiB")
      }
      return nil
    }
    let line = String(decoding: unread[..<end], as: UTF8.self)
    unread.removeSubrange(...end)
    searched = 0
    do throws(JSONError) {
      return try JSONReader.read(line)
    } catch {
      throw problem("printed a line that is no message: '\(secrets.shown(line))'")
    }
  }

  private var shownLines: [String] {
    let leftOut = lineCount - firstLines.count - lastLines.count
    let shown = { [secrets] (line: PrintedLine) in
      secrets.shown(line.text, isInList: line.isInList)
    }
    return firstLines.map(shown) + (leftOut > 0 ? ["(\(leftOut) more lines)"] : [])
      + lastLines.map(shown)
  }

  func problem(_ reason: String) -> AdapterProblem {
    // What it has already printed on stderr is likely to say why.
    while hasErrors, (try? errors.waitReadable(timeoutMs: 20)) == true, takeErrors() {}
    return AdapterProblem(reason, program: launch.words, doing: doing, lines: shownLines)
  }

  // MARK: - Reading

  private var hasUnreadOutput: Bool { (try? output.waitReadable(timeoutMs: 0)) ?? false }

  /// Waits until the program has printed something or has ended, and takes it.
  private func listen(forMs limit: Int?) throws {
    let began = Clocks.monotonicNs
    defer { leftNs -= Clocks.monotonicNs - began }
    guard leftNs > 0 else {
      throw problem(
        "did not answer within \(launch.patienceMs) ms, the limit that --app-seconds sets")
    }
    let leftMs = Int(leftNs / 1_000_000) + 1
    let pipes = (hasOutput ? [output] : []) + (hasErrors ? [errors] : [])
    let sources = pipes + [child.pidfd.descriptor]
    let ready = try Descriptor.waitReadable(sources, timeoutMs: min(limit ?? leftMs, leftMs))
    for index in ready {
      if sources[index] === output {
        let bytes = try output.read(count: 65_536)
        unread += bytes
        hasOutput = !bytes.isEmpty
      } else if sources[index] === errors {
        _ = takeErrors()
      }
    }
  }

  /// - Returns: Whether there was something.
  private func takeErrors() -> Bool {
    guard let bytes = try? errors.read(count: 65_536), !bytes.isEmpty else {
      hasErrors = false
      return false
    }
    unreadErrors += bytes
    var lines = unreadErrors.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // A line without an end that grows for ever is cut.
    unreadErrors = Array(lines.popLast()?.suffix(Self.pieceBytes) ?? [])
    for line in lines where !line.isEmpty {
      lineCount += 1
      // What cannot be shown is not kept.
      let text = String(decoding: line.prefix(Self.pieceBytes), as: UTF8.self)
      let printed = PrintedLine(text: text, isInList: isInList)
      isInList = SecretSpelling.opensList(text, isInList: isInList)
      if firstLines.count < Self.firstLinesMax {
        firstLines.append(printed)
      } else {
        lastLines.append(printed)
      }
    }
    lastLines.removeFirst(max(0, lastLines.count - Self.lastLinesMax))
    return true
  }

  /// Whether the program's parent has ended before it: the program is a child of this process then.
  private var isOrphan: Bool {
    // One that has ended its parent at once was seen nowhere else.
    guard let program else {
      return ProcessTable.children(of: getpid()).contains { $0 != child.processNumber }
    }
    return ProcessTable.place(ofThread: program)?.parent == getpid()
  }

  private func ending() throws -> AdapterProblem {
    switch try child.wait(timeoutMs: 1_000) {
    case .exited(let code): problem("ended by itself with exit code \(code)")
    case .signalled(let signal):
      isOrphan
        ? problem("has ended the process that runs it (signal \(signal))")
        : problem("was ended by signal \(signal)")
    case nil: problem("closed its standard input or output")
    }
  }
}
