import Chaos
import Foundation
import JSON
import Linux
import Mount
import Phone
import Ports
import Session
import Testing

extension Mounted {
  /// The same programs with the same words and seeds, on the mount and on a bare folder.
  @Suite struct `A run without faults` {
    private static let commands = [
      ["sign-in"], ["get"], ["refresh", "--to", "2"], ["get"], ["refresh", "--to", "3"],
      ["set", "note", "a short value"], ["get", "note"], ["remove", "note"], ["get"],
    ]

    /// What a run answered, and every file that it left, by its path.
    private struct Result {
      var answers: [String] = []
      var files: [String: [UInt8]] = [:]
    }

    @Test(arguments: ["recipe", "healing", "keychain-only"])
    func `equals a bare run`(store: String) throws {
      try onLane { lane in
        var setup = PhoneSetup()
        setup.seed = 77
        try lane.host.reset(setup)
        var programs: [[String]] = []
        let mounted = try mountedRun(lane.host, store, &programs)
        let bare = try BareFolder(setup)
        let (answers, service) = try bare.run(programs, from: lane.host, Self.commands)
        defer { try? service.kill() }
        #expect(answers == mounted.answers)
        #expect(answers.count == Self.commands.count)
        // The service may still be writing what it writes after an answer.
        let end = Date(timeIntervalSinceNow: 5)
        while try bare.files() != mounted.files, Date() < end { usleep(10_000) }
        let files = try bare.files()
        #expect(files.keys.sorted() == mounted.files.keys.sorted())
        for (path, bytes) in files {
          #expect(bytes == mounted.files[path], "\(path) differs")
        }
        #expect(files.count >= (store == "keychain-only" ? 2 : 4))
      }
    }

    private func mountedRun(
      _ host: PhoneHost, _ store: String, _ programs: inout [[String]]
    ) throws -> Result {
      var result = Result()
      let app = try host.start(AppLaunch(store: store))
      // What really runs, word by word: the service first, then the app.
      programs = try host.mounted.supervisor.members.map { try words(of: $0.process) }
      for command in Self.commands {
        guard case .result(let answer) = app.perform(command, atMs: host.nowMs) else {
          Issue.record("no answer to \(command)")
          continue
        }
        result.answers.append(JSONWriter.text(of: answer.json))
      }
      app.end()
      // Answered after everything that the service had to do before.
      _ = try host.inventory()
      result.files = try BareFolder.files(in: host.mounted.directory)
      return result
    }

    private func words(of process: Int32) throws -> [String] {
      // The program behind `lab-app run --` has taken its place once its own words stand there.
      let path = "/proc/\(process)/cmdline"
      while true {
        let words = try Data(contentsOf: URL(filePath: path)).split(separator: 0).map {
          String(decoding: $0, as: UTF8.self)
        }
        if words.count > 1, words[1] != "run" { return words }
        usleep(1_000)
      }
    }
  }
}

/// A phone on a folder of the machine's own file system.
private final class BareFolder {
  private let folder: String
  /// Where the phone's files are.
  private var path: String { "\(folder)/phone" }
  private var socket: String { "\(folder)/keychain.sock" }

  init(_ setup: PhoneSetup) throws {
    folder =
      FileManager.default.temporaryDirectory.appending(path: "bare-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(
      atPath: "\(folder)/phone", withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
    let phone = try IOSPhone(settings: IOSSettings(setup.chosen))
    let seed = try #require(setup.seed)
    for effect in phone.setUp(entropy: SeededEntropy(seed: seed, stream: "device")) {
      try carryOut(effect)
    }
  }

  deinit {
    _ = try? FileManager.default.removeItem(atPath: folder)
  }

  private func carryOut(_ effect: PhoneEffect) throws {
    switch effect {
    case .makeTree(let inner):
      try FileManager.default.createDirectory(
        atPath: path + inner, withIntermediateDirectories: true)
    case .writeFile(let inner, let bytes, _):
      try Data(bytes).write(to: URL(filePath: path + inner))
    default: break
    }
  }

  /// Starts the same programs with this folder and a socket of its own, and has the app answer.
  func run(
    _ programs: [[String]], from host: PhoneHost, _ commands: [[String]]
  ) throws -> (answers: [String], service: ChildProcess) {
    try #require(programs.count == 2)
    let mounted = host.mounted.directory
    let moved = programs.map { words in
      words.map { word in
        word == mounted ? path : word.hasSuffix("/keychain.sock") ? socket : word
      }
    }
    let (ready, readyEnd) = try Descriptor.pipe()
    let service = try Self.start(moved[0], output: readyEnd)
    #expect(try LineReader(ready).next(patienceMs: 5_000) == "ready")
    let (input, inputEnd) = try Descriptor.pipe()
    let (output, outputEnd) = try Descriptor.pipe()
    let app = try Self.start(moved[1], input: input, output: outputEnd)
    let lines = LineReader(output)
    var answers: [String] = []
    for command in commands {
      let request: JSONValue = [
        "nowMs": .integer(host.nowMs), "words": .list(command.map(JSONValue.text)),
      ]
      try inputEnd.write(Array((JSONWriter.text(of: request) + "\n").utf8))
      answers.append(try lines.next(patienceMs: 5_000) ?? "")
    }
    try app.kill()
    _ = try app.wait(timeoutMs: 5_000)
    return (answers, service)
  }

  private static func start(
    _ words: [String], input: Descriptor? = nil, output: Descriptor
  ) throws -> ChildProcess {
    var launch = ChildProcess.Launch(words)
    launch.descriptors = [input, output, nil]
    return try ChildProcess(launch)
  }

  func files() throws -> [String: [UInt8]] { try Self.files(in: path) }

  /// All files but the lab's own and SQLite's shared memory, which holds process numbers.
  static func files(in root: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let all = FileManager.default.enumerator(atPath: root)
    while let name = all?.nextObject() as? String {
      if name.hasPrefix(".lab") || name.hasSuffix("-shm") { continue }
      let url = URL(filePath: "\(root)/\(name)")
      guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      files[name] = Array(try Data(contentsOf: url))
    }
    return files
  }
}
