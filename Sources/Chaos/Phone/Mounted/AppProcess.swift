package import Device
import JSON
import Linux
import Mount
package import Ports
import Session

/// A running reference app: takes one command at a time and answers each with a line.
package final class AppProcess: HostedApp {
  package let number: ProcessNumber
  private let child: ChildProcess
  private let input: Descriptor
  private let output: LineReader
  private let patienceMs: Int
  /// Kills what the process has started, and itself; `nil` for one that starts nothing.
  private let killFamily: (() -> Void)?
  /// Told after each command, whatever came of it.
  private let onReply: (() -> Void)?

  /// How long a command may take before the app counts as hanging, in real milliseconds. A held
  /// operation is the only thing that takes nearly so long.
  package static let patienceMs = 10_000

  init(
    number: ProcessNumber, child: ChildProcess, input: Descriptor, output: Descriptor,
    patienceMs: Int, killFamily: (() -> Void)?, onReply: (() -> Void)?
  ) {
    self.number = number
    self.child = child
    self.patienceMs = patienceMs
    self.killFamily = killFamily
    self.onReply = onReply
    self.input = input
    self.output = LineReader(output)
  }

  package var isRunning: Bool { !child.pidfd.hasEnded }

  package var endSignal: Int32? {
    guard !isRunning, case .signalled(let signal)? = try? child.wait(timeoutMs: 0) else {
      return nil
    }
    return signal
  }

  package func perform(_ words: [String], atMs now: Int64) -> AppReply {
    defer { onReply?() }
    let request: JSONValue = [
      "nowMs": .integer(now), "words": .list(words.map(JSONValue.text)),
    ]
    do {
      try input.write(Array(JSONWriter.text(of: request).utf8) + [UInt8(ascii: "\n")])
      guard let line = try output.next(patienceMs: patienceMs) else { return ending() }
      return .result(try AppResult(JSONReader.read(line)))
    } catch let error as JSONError {
      return .ended("an answer that is not one: \(error)")
    } catch {
      return isRunning ? .noAnswer : ending()
    }
  }

  package func end() {
    killFamily?()
    try? child.kill()
    _ = try? child.wait(timeoutMs: 5_000)
  }

  private func ending() -> AppReply {
    guard let status = try? child.wait(timeoutMs: Self.patienceMs) else { return .noAnswer }
    switch status {
    case .signalled(9): return .killed
    case .signalled(let signal): return .ended("signal \(signal)")
    case .exited(let code): return .ended("exit code \(code)")
    }
  }
}

extension PhoneHost {
  /// Where the kernel's side of the phone reaches a server; one at a time.
  private func front(of service: any HTTPService) throws(PhoneHostError) -> String {
    try Self.system { () throws(SystemError) in
      try serverFront.withLock { front throws(SystemError) in
        if front == nil { front = try ServerFront() }
        guard let running = front else { preconditionFailure("was started just now") }
        running.serve(service)
        return running.url
      }
    }
  }

  package func start(
    _ launch: AppLaunch, reaching server: (any HTTPService)? = nil
  ) throws(PhoneHostError) -> any HostedApp {
    if let problem = launchProblem { throw .refused(problem) }
    _ = try readyService()
    let url = try server.map { service throws(PhoneHostError) in try front(of: service) }
    return try Self.system { () throws(SystemError) in
      let (reading, input) = try Descriptor.pipe()
      let (output, writing) = try Descriptor.pipe()
      var start = ChildProcess.Launch(appCommand(launch, server: url))
      start.descriptors = [reading, writing, nil]
      // It dies by a fault, or with its phone, and by nothing else.
      start.leavesTerminal = true
      let (number, child) = try mounted.supervisor.spawn(start, role: .app, name: launch.store)
      return AppProcess(
        number: number, child: child, input: input, output: output,
        patienceMs: AppProcess.patienceMs + (launch.foreign?.patienceMs ?? 0),
        killFamily: launch.foreign.map { _ in { [mounted] in mounted.kill(number) } },
        onReply: launch.foreign.map { _ in { [unowned self] in readCallNotes() } })
    }
  }
}
