package import Device
import JSON
import Linux
import Mount
package import Session

/// A running reference app: takes one command at a time and answers each with a line.
package final class AppProcess {
  package let number: ProcessNumber
  private let child: ChildProcess
  private let input: Descriptor
  private let output: LineReader

  /// How long a command may take before the app counts as hanging, in real milliseconds. A held
  /// operation is the only thing that takes nearly so long.
  package static let patienceMs = 10_000

  init(number: ProcessNumber, child: ChildProcess, input: Descriptor, output: Descriptor) {
    self.number = number
    self.child = child
    self.input = input
    self.output = LineReader(output)
  }

  package var isRunning: Bool { !child.pidfd.hasEnded }

  /// Has the app carry out a command at a moment of the phone's clock.
  package func perform(_ words: [String], atMs now: Int64) -> Reply {
    let request: JSONValue = [
      "nowMs": .integer(now), "words": .list(words.map(JSONValue.text)),
    ]
    do {
      try input.write(Array(JSONWriter.text(of: request).utf8) + [UInt8(ascii: "\n")])
      guard let line = try output.next(patienceMs: Self.patienceMs) else { return ending() }
      return .result(try AppResult(JSONReader.read(line)))
    } catch let error as JSONError {
      return .ended("an answer that is not one: \(error)")
    } catch {
      return isRunning ? .noAnswer : ending()
    }
  }

  package enum Reply: Equatable, Sendable {
    case result(AppResult)
    /// The process was killed.
    case killed
    /// The process ended by itself; how.
    case ended(String)
    case noAnswer
  }

  /// Ends the process and waits for its end.
  package func end() {
    try? child.kill()
    _ = try? child.wait(timeoutMs: 5_000)
  }

  private func ending() -> Reply {
    guard let status = try? child.wait(timeoutMs: Self.patienceMs) else { return .noAnswer }
    switch status {
    case .signalled(9): return .killed
    case .signalled(let signal): return .ended("signal \(signal)")
    case .exited(let code): return .ended("exit code \(code)")
    }
  }
}

extension PhoneHost {
  /// Starts the reference app anew; whatever it had in memory is gone.
  package func start(
    _ launch: AppLaunch
  ) throws(PhoneHostError) -> AppProcess {
    if let problem = launchProblem { throw .refused(problem) }
    _ = try service()
    return try Self.system { () throws(SystemError) in
      let (reading, input) = try Descriptor.pipe()
      let (output, writing) = try Descriptor.pipe()
      var start = ChildProcess.Launch(appCommand(launch))
      start.descriptors = [reading, writing, nil]
      let (number, child) = try mounted.supervisor.spawn(start, role: .app, name: launch.store)
      return AppProcess(number: number, child: child, input: input, output: output)
    }
  }
}
