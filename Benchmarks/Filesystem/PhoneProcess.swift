import Chaos
import JSON
import Linux
import Mount

/// `lab mount` as a process of its own: what people use, asked from another process.
final class PhoneProcess {
  static let implementation = "lab"

  /// The mount point.
  let folder: String
  private let child: ChildProcess
  private let client: ControlClient

  /// Mounts a phone, with a registry of its own so that no command of the user meets it.
  ///
  /// - Parameters:
  ///   - executable: The lab's own program.
  ///   - scratch: A private folder.
  /// - Throws: ``BenchmarkError/phone(_:)`` with what the phone complained of.
  init(_ executable: String, in scratch: String) throws {
    folder = "\(scratch)/phone"
    let runtime = "\(scratch)/run"
    try Files.makeDirectory(runtime)
    let (output, writing) = try Descriptor.pipe()
    child = try Self.start(executable, at: folder, runtime, output: writing)
    do {
      let line = try LineReader(output).next(patienceMs: 10_000)
      guard let line, line.contains("is mounted at") else {
        throw BenchmarkError.phone(line ?? "it ended without a word")
      }
      client = try ControlClient(at: try Registry(at: "\(runtime)/lab").find(nil).socket)
    } catch {
      try? child.kill()
      // Gone before its folders are removed.
      _ = try? child.wait(timeoutMs: 10_000)
      throw error
    }
  }

  private static func start(
    _ executable: String, at folder: String, _ runtime: String, output: Descriptor
  ) throws -> ChildProcess {
    var launch = ChildProcess.Launch([executable, "mount", folder, "--quiet"])
    launch.environment = [
      "XDG_RUNTIME_DIR=\(runtime)", "PATH=\(Files.environment("PATH") ?? "/usr/bin:/bin")",
    ]
    launch.descriptors = [nil, output, output]
    launch.diesWithParent = true
    return try ChildProcess(launch)
  }

  /// Sends a command over the control socket and waits until it is carried out.
  @discardableResult
  func call(_ verb: PhoneVerb) throws -> JSONValue {
    switch PhoneAnswer(try client.call(verb.text)) {
    case .result(let value): return value
    case .refused(let reason), .misunderstood(let reason): throw BenchmarkError.phone(reason)
    }
  }

  /// How many requests of the kernel the phone has served.
  func requestCount() throws -> Int {
    guard let count = try call(.status)["requests"]?.integer else {
      throw BenchmarkError.phone("its status does not count requests")
    }
    return Int(count)
  }

  /// Unmounts, and waits for the process's end.
  func end() {
    // One that does not answer any more is killed; its helper then unmounts.
    if (try? call(.unmount)) == nil { try? child.kill() }
    _ = try? child.wait(timeoutMs: 10_000)
  }
}
