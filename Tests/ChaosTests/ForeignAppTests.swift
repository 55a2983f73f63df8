import Chaos
import Foundation
import Gallery
import Phone
import Testing

@Suite struct `The command line of a program` {
  @Test(arguments: [
    ("node my-store.mjs", ["node", "my-store.mjs"]),
    (" a\t'b c'  \"d 'e'\" f\\ g ", ["a", "b c", "d 'e'", "f g"]),
    ("a '' b\"c\"'d'", ["a", "", "bcd"]), ("a '$HOME; b'", ["a", "$HOME; b"]),
  ])
  func `is split as a shell does`(text: String, words: [String]) throws {
    #expect(try ForeignApp(text).words == words)
  }

  @Test(arguments: ["", "  ", "''", "a 'b", "a \"b", "a \\"])
  func `is refused`(text: String) {
    #expect(throws: ForeignAppError.self) { try ForeignApp(text) }
  }
}

/// The shims and the stores over them, laid out as `lab shims` does.
private struct Shims {
  let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "shims-\(UUID())").path
    try FileManager.default.createDirectory(
      atPath: "\(folder)/apps", withIntermediateDirectories: true)
    for (path, text) in ProgramFiles.all {
      try text.write(toFile: "\(folder)/\(path)", atomically: false, encoding: .utf8)
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  func app(_ name: String) throws -> ForeignApp {
    try #require(
      ["/usr/bin/node", "/usr/local/bin/node"].contains(where: FileManager.default.fileExists),
      """
      node is missing, which this test runs stores in JavaScript with. Install it: \
      apt-get install -y --no-install-recommends nodejs
      """)
    var app = try ForeignApp(
      "node --import \(folder)/register.mjs \(folder)/apps/\(name).mjs")
    // Of a machine that is busy with other tests nothing is asked.
    app.patienceMs = 60_000
    return app
  }
}

extension Mounted {
  @Suite struct `A store in JavaScript` {
    private func play(
      _ scenario: Scenario, _ store: String, _ foreign: ForeignApp?, on lane: Lane,
      phones: [PhoneKind] = PhoneKind.allCases
    ) throws -> [[CaseRun]] {
      let runner = ScenarioRunner(on: lane.host, seed: 7)
      runner.foreign = foreign
      return try scenario.phones.filter(phones.contains).map { phone in
        let name = foreign == nil ? store : ForeignApp.storeName
        let run = try runner.run(scenario, on: phone, store: name)
        // Cases whose app is the lab's client are not for it.
        return run.all.filter { !$0.parts.contains("seed") && !$0.parts.contains("hardened") }
      }
    }

    @Test(arguments: ["recipe", "healing", "durable"])
    func `shows the verdicts of its kin in Swift`(store: String) throws {
      let shims = try Shims()
      defer { shims.remove() }
      var app = try shims.app(store)
      app.expectAs = store
      try onLane { lane in
        for name in ["torn-save", "keychain-reset", "disk-full"] {
          let file = try #require(GalleryFiles.file(name))
          let scenario = try ScenarioReader.read(Array(file.text.utf8), name: name)
          let kin = try play(scenario, store, nil, on: lane)
          let runs = try play(scenario, store, app, on: lane)
          for (kin, run) in zip(kin, runs) {
            #expect(run.map(\.name) == kin.map(\.name), "\(name)")
            #expect(run.map(\.verdicts) == kin.map(\.verdicts), "\(name)")
            #expect(run.allSatisfy { $0.outcome == .asExpected }, "\(name)")
            #expect(run.map(\.faults) == kin.map(\.faults), "\(name)")
            #expect(run.allSatisfy { $0.store == ForeignApp.storeName })
          }
        }
      }
    }

    @Test func `is found out when a store without a flaw is expected`() throws {
      let shims = try Shims()
      defer { shims.remove() }
      let inner = """
        steps: [ { do: "sign-in" }, { do: "refresh", to: 2, fault: "kill@K1" }, { do: "launch" } ],
        expect: { good: { "*": ["keep|recover"] }, recipe: { "*": ["falseSignOut"] } },
        """
      try onLane { lane in
        let runs = try play(scenario(inner), "recipe", shims.app("recipe"), on: lane)
        #expect(runs[0].map(\.outcome).first == .asExpected, "the control")
        let last = try #require(runs[0].last)
        #expect(last.verdicts == [.falseSignOut])
        guard case .unexpected = last.outcome else {
          Issue.record("\(last.outcome)")
          return
        }
      }
    }

    @Test(arguments: [("", [Verdict.defer, .keep]), ("AFTER_FIRST_UNLOCK", [.keep, .keep])])
    func `has items of the class that it asks for`(option: String, shown: [Verdict]) throws {
      let shims = try Shims()
      defer { shims.remove() }
      let options = option.isEmpty ? "{}" : "{ keychainAccessible: SecureStore.\(option) }"
      try """
      import * as SecureStore from 'expo-secure-store'
      const options = \(options)
      export default {
        getItem: (name) => SecureStore.getItemAsync(name, options),
        setItem: (name, text) => SecureStore.setItemAsync(name, text, options),
        removeItem: (name) => SecureStore.deleteItemAsync(name, options),
      }
      """.write(toFile: "\(shims.folder)/apps/own.mjs", atomically: false, encoding: .utf8)
      let inner = """
        steps: [
          { do: "sign-in" }, { fault: [{ do: "lock" }, { do: "launch" }, { do: "unlock" }] },
          { do: "launch" },
        ],
        expect: { good: { "*": "noFailure" } },
        """
      try onLane { lane in
        let runs = try play(scenario(inner), "own", shims.app("own"), on: lane)
        #expect(runs[0].last?.verdicts == shown)
      }
    }

    @Test func `is killed with what it has started, and plays the same again`() throws {
      let shims = try Shims()
      defer { shims.remove() }
      let file = try #require(GalleryFiles.file("torn-save"))
      let scenario = try ScenarioReader.read(Array(file.text.utf8), name: file.name)
      let runs = try (0..<2).map { _ in
        try onLane { lane in
          let runs = try play(
            scenario, "durable", shims.app("durable"), on: lane, phones: [.ios])
          #expect(Self.areGone(Self.processes(of: shims.folder)))
          return runs
        }
      }
      #expect(runs[0] == runs[1])
      #expect(!runs[0].flatMap { $0.flatMap(\.images) }.isEmpty)
    }

    /// Whether killed processes end: the kernel may still be about it.
    private static func areGone(_ processes: [String]) -> Bool {
      let deadline = Date().addingTimeInterval(10)
      let isThere = { (number: String) in FileManager.default.fileExists(atPath: "/proc/\(number)")
      }
      while processes.contains(where: isThere), Date() < deadline { usleep(10_000) }
      return !processes.contains(where: isThere)
    }

    /// Living processes that have a folder in their command line.
    private static func processes(of folder: String) -> [String] {
      let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return all.filter { $0.allSatisfy(\.isNumber) }.filter { number in
        let words = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
        return String(decoding: words, as: UTF8.self).hasPrefix("node")
          && String(decoding: words, as: UTF8.self).contains(folder)
      }
    }
  }
}
