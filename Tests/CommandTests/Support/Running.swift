import Foundation
import Testing

/// A program that was started; what it says goes to files, so that no child of it can keep the
/// reader waiting.
final class Running {
  private let process = Process()
  private let outputPath: String
  private let errorsPath: String

  init(
    _ executable: String, _ arguments: [String], in folder: String,
    environment: [String: String], log: String
  ) throws {
    outputPath = "\(log).out"
    errorsPath = "\(log).err"
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try Self.file(outputPath)
    process.standardError = try Self.file(errorsPath)
    try process.run()
  }

  private static func file(_ path: String) throws -> FileHandle {
    try Data().write(to: URL(filePath: path))
    return try FileHandle(forWritingTo: URL(filePath: path))
  }

  var id: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }
  var output: String { Self.text(outputPath) }
  var errors: String { Self.text(errorsPath) }

  private static func text(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }

  func send(_ signal: Int32) { kill(id, signal) }

  /// Waits for the end; a program that takes longer than allowed is killed, and that is an issue.
  func wait(seconds: Double = 60, _ location: SourceLocation = #_sourceLocation) throws -> Ended {
    let isDone = eventually(seconds: seconds) { !process.isRunning }
    if !isDone {
      send(SIGKILL)
      Issue.record("still running after \(seconds) s: \(output)\(errors)", sourceLocation: location)
    }
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return Ended(
      code: process.terminationStatus + (isSignal ? 128 : 0), output: output, errors: errors)
  }
}

/// Asks again until it is so, or until the time is over.
func eventually(seconds: Double = 10, _ isSo: () throws -> Bool) rethrows -> Bool {
  let end = Date(timeIntervalSinceNow: seconds)
  while try !isSo() {
    if Date() > end { return false }
    usleep(5_000)
  }
  return true
}
