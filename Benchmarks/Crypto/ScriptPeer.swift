import Crypto
import Glibc
import Linux

/// An implementation in another language: a process that answers one line with another.
final class ScriptPeer {
  static let node = "node"
  static let pyaes = "pyaes"

  let name: String
  let version: String
  /// Longer messages would take it seconds.
  let bytesMax: Int
  /// How many bytes it gets through in some milliseconds.
  private let batchBytes: Int
  private let child: ChildProcess
  private let input: Descriptor
  private let answers: LineReader

  private static let patienceMs = 60_000

  /// Node's own `crypto`, which is OpenSSL; `nil` when there is no `node`.
  static func startNode() throws -> ScriptPeer? {
    try start(node, ["node", "-e", PeerScripts.node])
  }

  /// PyPI's `pyaes`, which is pure Python; `nil` when it cannot be imported.
  static func startPyaes() throws -> ScriptPeer? {
    let python = Files.environment("LAB_PYTHON") ?? "python3"
    return try start(
      pyaes, [python, "-c", PeerScripts.pyaes], bytesMax: 4096, batchBytes: 1024)
  }

  /// Starts a process; `nil` when there is no such program, or it cannot do the work.
  static func start(
    _ name: String, _ command: [String], bytesMax: Int = 1 << 20, batchBytes: Int = 1 << 19
  ) throws -> ScriptPeer? {
    guard let (child, input, output) = try launch(command) else { return nil }
    let answers = LineReader(output)
    guard let words = try answers.next(patienceMs: patienceMs)?.split(separator: " "),
      words.first == "ready", words.count == 2
    else {
      _ = try child.wait(timeoutMs: patienceMs)
      return nil
    }
    return ScriptPeer(
      name, String(words[1]), bytesMax, batchBytes, child, input, answers)
  }

  /// Our ends of its pipes; those of the child are closed here, so that its end is seen.
  private static func launch(
    _ command: [String]
  ) throws(SystemError) -> (ChildProcess, input: Descriptor, output: Descriptor)? {
    let (request, input) = try Descriptor.pipe()
    let (output, answer) = try Descriptor.pipe()
    var launch = ChildProcess.Launch(command)
    launch.descriptors = [request, answer, nil]
    launch.diesWithParent = true
    do throws(SystemError) {
      return (try ChildProcess(launch), input, output)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  private init(
    _ name: String, _ version: String, _ bytesMax: Int, _ batchBytes: Int,
    _ child: ChildProcess, _ input: Descriptor, _ answers: LineReader
  ) {
    self.name = name
    self.version = version
    self.bytesMax = bytesMax
    self.batchBytes = batchBytes
    self.child = child
    self.input = input
    self.answers = answers
  }

  /// What it makes of a message.
  func result(_ given: CipherCheck.Case) throws -> [UInt8] {
    let words = [given.key, given.counter, given.message].map(Hexadecimal.encode)
    return try Hexadecimal.decode(try ask("check \(words.joined(separator: " "))"))
  }

  /// Nanoseconds of one piece of work: `kept`, `fresh`, `set`, `get`.
  func measure(_ work: String, bytes: Int) throws -> Double {
    let count = min(max(batchBytes / bytes, 1), 2_000)
    let answer = try ask("\(work) \(bytes) \(count)")
    guard let ns = Double(answer) else {
      throw BenchmarkError.implementation(name, reason: answer)
    }
    return ns
  }

  private func ask(_ question: String) throws -> String {
    try input.write("\(question)\n".utf8)
    guard let answer = try answers.next(patienceMs: Self.patienceMs) else {
      throw BenchmarkError.implementation(name, reason: "it ended without an answer")
    }
    return answer
  }

  func end() {
    // One that has ended cannot be killed, and needs not be.
    try? child.kill()
    _ = try? child.wait(timeoutMs: Self.patienceMs)
  }
}
