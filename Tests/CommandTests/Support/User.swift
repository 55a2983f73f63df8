import Foundation
import Testing

/// Somebody at a terminal, in an empty folder, with `lab` in the path and no phone mounted.
///
/// Nothing may be left when the value goes away: no mount and no process with the folder's name.
final class User {
  /// The working folder.
  let folder: String
  private let scratch: String
  private var started: [Running] = []
  private var count = 0

  init() throws {
    scratch =
      FileManager.default.temporaryDirectory.appending(path: "user-\(UUID().uuidString)")
      .path
    folder = "\(scratch)/work"
    for path in [folder, runtime, "\(scratch)/log"] {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }

  private var runtime: String { "\(scratch)/run" }

  /// The folder with the programs, beside the test bundle.
  static var programs: String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  deinit {
    for program in started where program.isRunning { program.send(SIGKILL) }
    if !eventually(seconds: 5, { mounts.isEmpty && processes.isEmpty }) {
      Issue.record("left behind: \(mounts) \(processes)")
      for mount in mounts { _ = try? shell("umount -l '\(mount)'") }
    }
    do {
      try FileManager.default.removeItem(atPath: scratch)
    } catch {
      Issue.record("left behind: \(scratch): \(error)")
    }
  }

  // MARK: - Commands

  /// Types a command of the lab and waits for its end.
  @discardableResult
  func lab(
    _ words: String..., environment: [String: String] = [:],
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Ended {
    try start("\(Self.programs)/lab", words, environment).wait(seconds: 60, location)
  }

  /// The same, without waiting.
  func begin(_ words: String...) throws -> Running { try begin(words) }

  func begin(_ words: [String]) throws -> Running {
    try start("\(Self.programs)/lab", words, [:])
  }

  /// Types a line of shell.
  @discardableResult
  func shell(_ line: String, _ location: SourceLocation = #_sourceLocation) throws -> Ended {
    try begin(shell: line).wait(seconds: 60, location)
  }

  /// The same, without waiting.
  func begin(shell line: String) throws -> Running { try start("/bin/sh", ["-c", line], [:]) }

  /// Mounts a phone in the background and waits until it is there.
  func mount(_ name: String, _ options: String...) throws -> Running {
    try mountAll(name, options)
  }

  func mountAll(_ name: String, _ options: [String]) throws -> Running {
    let phone = try start("\(Self.programs)/lab", ["mount", name] + options, [:])
    let isThere = eventually { phone.output.contains("mounted at") || !phone.isRunning }
    try #require(isThere && phone.isRunning, "\(phone.output)\(phone.errors)")
    return phone
  }

  private func start(
    _ executable: String, _ arguments: [String], _ more: [String: String]
  ) throws -> Running {
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_RUNTIME_DIR"] = runtime
    environment["PATH"] = "\(Self.programs):\(environment["PATH"] ?? "/usr/bin:/bin")"
    environment["NO_COLOR"] = nil
    environment["GITHUB_ACTIONS"] = nil
    environment["TERM"] = "xterm"
    environment.merge(more) { $1 }
    count += 1
    let running = try Running(
      executable, arguments, in: folder, environment: environment,
      log: "\(scratch)/log/\(count)")
    started.append(running)
    return running
  }

  // MARK: - What is there

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
  }

  func read(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/\(name)")
  }

  /// Mount points anywhere in this user's folders.
  var mounts: [String] {
    let table = FileManager.default.contents(atPath: "/proc/self/mountinfo") ?? Data()
    return String(decoding: table, as: UTF8.self).split(separator: "\n")
      .map { String($0.split(separator: " ")[4]) }.filter { $0.hasPrefix(scratch) }
  }

  /// Living processes that have a folder of this user in their command line.
  var processes: [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.filter { $0.allSatisfy(\.isNumber) }.compactMap { number in
      let bytes = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
      let words = String(decoding: bytes, as: UTF8.self).replacing("\0", with: " ")
      return words.contains(scratch) ? "\(number) \(words)" : nil
    }
  }
}
