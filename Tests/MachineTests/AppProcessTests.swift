import Foundation
import TestSupport
import Testing

/// `lab-app` as real processes on a bare directory.
@Suite(.timeLimit(.minutes(5))) struct `The app and the keychain's service as processes` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.path)
  }

  /// The program beside the test bundle.
  private static var program: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "lab-app")
  }

  private struct Ended {
    var code: Int32
    var output: String
    var errors: String
  }

  private func run(_ arguments: [String], input: String = "") throws -> Ended {
    let process = Process()
    let (input_, output, errors) = (Pipe(), Pipe(), Pipe())
    process.executableURL = Self.program
    process.arguments = arguments
    process.standardInput = input_
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    input_.fileHandleForWriting.write(Data(input.utf8))
    try input_.fileHandleForWriting.close()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Ended(
      code: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
      errors: String(decoding: complaints, as: UTF8.self))
  }

  /// A keychain's service, killed when the value goes away.
  private final class Service {
    let process = Process()

    init(_ scratch: Scratch, _ arguments: [String] = []) throws {
      let output = Pipe()
      process.executableURL = program
      process.arguments =
        ["system-daemon", "--root", "\(scratch.path)/phone", "--socket", "\(scratch.path)/s"]
        + arguments
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let line = output.fileHandleForReading.readData(ofLength: 6)
      #expect(String(decoding: line, as: UTF8.self) == "ready\n")
    }

    func kill() {
      _ = Glibc.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    deinit {
      kill()
    }
  }

  private func session(_ words: String...) throws -> Ended {
    try run(
      [
        "session", "--root", "\(scratch.path)/phone", "--daemon", "\(scratch.path)/s", "--store",
        "recipe", "--ack", "\(scratch.path)/log",
      ] + words)
  }

  private func makePhone() throws {
    try FileManager.default.createDirectory(
      atPath: "\(scratch.path)/phone", withIntermediateDirectories: false)
  }

  @Test func `keep a session over the death of both`() throws {
    try makePhone()
    let first = try Service(scratch)
    let saved = try session("sign-in", "--generation", "3")
    #expect(saved.code == 0)
    #expect(saved.output.contains(#""outcome":"saved""#))
    #expect(saved.output.split(separator: "\n").count == 1)
    #expect(try session("get").output.contains(#""generation":3"#))
    first.kill()
    let without = try session("get")
    #expect(without.code == 0)
    #expect(without.output.contains("No keychain is available."))
    let second = try Service(scratch)
    #expect(try session("get").output.contains(#""generation":3"#))
    second.kill()
    let log = try String(decoding: scratch.bytes(of: "log"), as: UTF8.self)
    #expect(log.split(separator: "\n").count == 2)
  }

  @Test func `refuse a key while the phone is locked`() throws {
    try makePhone()
    let service = try Service(scratch, ["--lock-state", "locked"])
    #expect(try session("sign-in").output.contains("User interaction is not allowed."))
    service.kill()
  }

  @Test func `write the same bytes in two runs with the same seeds`() throws {
    func files(_ run: Int) throws -> [String: [UInt8]] {
      let inner = try Scratch()
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: inner.path)
      try FileManager.default.createDirectory(
        atPath: "\(inner.path)/phone", withIntermediateDirectories: false)
      let service = try Service(inner, ["--seed", "5", "--clock-start", "1700000000000"])
      let ended = try self.run([
        "session", "--root", "\(inner.path)/phone", "--daemon", "\(inner.path)/s", "--store",
        "recipe", "--seed", "6", "--clock-start=1700000000000", "--pid", "77", "sign-in",
      ])
      #expect(ended.code == 0, "\(ended.errors)")
      service.kill()
      var found: [String: [UInt8]] = [:]
      for case let name as String in FileManager.default.enumerator(
        atPath: "\(inner.path)/phone") ?? FileManager.DirectoryEnumerator()
      where !name.hasSuffix("-shm") {
        let attributes = try FileManager.default.attributesOfItem(
          atPath: "\(inner.path)/phone/\(name)")
        guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
        found[name] = try inner.bytes(of: "phone/\(name)")
      }
      return found
    }
    let (first, second) = (try files(1), try files(2))
    #expect(first.count == 5)
    #expect(first == second)
  }

  @Test func `say that the app is not installed`() throws {
    try makePhone()
    try FileManager.default.createDirectory(
      atPath: "\(scratch.path)/phone/private/var/mobile/Containers/Data/Application",
      withIntermediateDirectories: true)
    let ended = try session("get")
    #expect(ended.code == 2)
    #expect(
      ended.errors == "lab-app: the app is not installed on this phone; install it first\n")
  }

  @Test(arguments: [
    (["nothing"], "lab-app: no subcommand 'nothing'; allowed: system-daemon run session zygote\n"),
    ([], "lab-app: no subcommand; allowed: system-daemon run session zygote\n"),
    (["session", "--rot", "x"], "lab-app: no option --rot\n"),
    (["session", "--root", "a", "--root", "b"], "lab-app: --root is given twice\n"),
    (["session", "--root"], "lab-app: --root needs a value\n"),
    (
      ["system-daemon", "--seed", "x", "--root", "r", "--socket", "s"],
      "lab-app: --seed x: not a whole number from 0 to 18446744073709551615\n"
    ),
    (
      ["system-daemon", "--passcode", "x"],
      "lab-app: no value 'x' of passcode; allowed: set none\n"
    ),
    (["run", "--"], "lab-app: no command after run --\n"),
  ]) func `refuse wrong words`(arguments: [String], message: String) throws {
    let ended = try run(arguments)
    #expect(ended.code == 64)
    #expect(ended.errors == message)
    #expect(ended.output.isEmpty)
  }

  @Test func `become another program after one byte, and not without it`() throws {
    let command = ["run", "--go-fd", "0", "--", "echo", "hello"]
    #expect(try run(command, input: "g").output == "hello\n")
    let ended = try run(command, input: "")
    #expect(ended.code == 2)
    #expect(ended.output.isEmpty)
  }

  @Test func `become one of their own subcommands`() throws {
    let ended = try run(["run", "--", "session", "--rot", "x"])
    #expect(ended.code == 64)
    #expect(ended.errors == "lab-app: no option --rot\n")
  }
}
