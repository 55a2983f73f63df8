import Chaos
import Foundation
import Gallery
import JSON
import Phone
import Reports
import Simulation
import Terminal
import Testing

/// The replay files of this folder: findings of earlier days, which every later lab must understand.
enum OldReplays {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().path + "/Replays"

  static func all() throws -> [Replay] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map(read)
  }

  static func text(_ file: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
  }

  static func read(_ file: String) throws -> Replay {
    try ReplayReader.read(
      Array(try text(file).utf8), name: String(file.dropLast(".json".count)))
  }

  /// A kill at an operation of a save.
  static let kill = "falseSignOut-explore-recipe-android-4.json"
  /// A power cut, of which some changes survive.
  static let cut = "falseSignOut-explore-recipe-ios-6.json"

  /// One of them after a change of its text.
  static func changed(
    _ file: String, _ old: String, _ new: String,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let before = try text(file)
    let after = before.replacing(old, with: new)
    try #require(after != before, "\(file) has no '\(old)'", sourceLocation: location)
    return after
  }
}

@Suite struct `A replay file` {
  private func read(_ text: String) throws(JSONError) -> Replay {
    try ReplayReader.read(Array(text.utf8), name: "t")
  }

  @Test func `is written as it was read`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: OldReplays.folder)
    #expect(names.count > 10)
    for name in names {
      #expect(try OldReplays.read(name).text == OldReplays.text(name), "\(name)")
    }
  }

  /// A decision is a step of a scenario, so everything that a scenario can say has a way back.
  @Test func `can hold every step of the gallery`() throws {
    for file in GalleryFiles.all {
      let scenario = try ScenarioReader.read(Array(file.text.utf8), name: file.name)
      // Of a launch and its fault only one can say how often.
      for one in scenario.cases
      where one.spreadStep == nil && one.steps.allSatisfy({ $0.fault?.times ?? 1 == 1 }) {
        var replay = try OldReplays.read(OldReplays.kill)
        replay.sites = [:]
        replay.history = Replay.History(
          phone: scenario.phones[0], store: "durable", settings: one.settings, seed: 1,
          steps: one.steps)
        let again = try read(replay.text).history
        #expect(again.settings == one.settings)
        #expect(
          again.steps.map(\.json) == replay.history.steps.map(\.json), "\(file.name) \(one.name)")
        #expect(
          again.steps.map(\.action) == replay.history.steps.map(\.action),
          "\(file.name) \(one.name)")
        #expect(
          again.steps.map(\.fault) == replay.history.steps.map(\.fault),
          "\(file.name) \(one.name)")
      }
    }
  }

  @Test(arguments: [
    ("lab.replay/1", "lab.replay/2", "another format than 'lab.replay/2'"),
    ("\"recipe\"", "\"recipy\"", "unknown store 'recipy'; nearest: recipe"),
    ("\"android\"", "\"androit\"", "nearest: android"),
    ("\"decisions\"", "\"decision\"", "nearest: decisions"),
    ("\"do\": \"refresh\"", "\"do\": \"refrsh\"", "nearest: refresh"),
    ("kill@op:", "kil@op:", "nearest: kill"),
    ("kill@op:6", "kill@each-op", "'each' stands for several places"),
    ("\"behind\": \"B0\"", "\"behind\": \"BO\"", "nearest: B0"),
    ("\"time\": 1", "\"time\": 0", "1 to 1000000"),
    ("\"falseSignOut\"", "\"secretLeft\"", ""),
    ("\"failure\": \"falseSignOut\"", "\"failure\": \"secretLeft\"", "first failure"),
    ("\"failure\": \"falseSignOut\"", "\"failure\": null", "expected text, found null"),
    ("\"do\": \"sign-in\"", "\"do\": \"read\"", "no step signs in"),
    ("\"images\": [\n    \"", "\"images\": [\n    \"X", "32 hexadecimal digits"),
    ("\"seed\": ", "\"seed\": -", "out of range"),
    (
      "\"seed\": ", "\"settings\": {\"profile\": \"apfs\"}, \"seed\": ",
      "no android phone has the profile 'apfs'"
    ),
  ])
  func `names the place and the nearest word of a slip`(
    old: String, new: String, words: String
  ) throws {
    let text = try OldReplays.changed(OldReplays.kill, old, new)
    guard !words.isEmpty else {
      // Another failure is no slip, as long as the file says one thing.
      #expect(throws: Never.self) { try read(text) }
      return
    }
    #expect { try read(text) } throws: { error in
      guard let error = error as? JSONError else { return false }
      let message = Diagnostic(error, file: "t.json", source: text).text
      return message.hasPrefix("t.json:") && message.contains(words)
    }
  }
}

@Suite struct `A replay in memory` {
  private func replayed(_ text: String) throws -> ReplayComparison {
    let phone = try SimulatedPhone(PhoneSetup())
    return try ReplayPlayer(on: phone).replay(try ReplayReader.read(Array(text.utf8), name: "t"))
  }

  /// Images are compared in a process of its own: databases opened meanwhile by other tests draw from
  /// the same generator.
  @Test func `of every old file shows what was recorded`() throws {
    let player = ReplayPlayer(on: try SimulatedPhone(PhoneSetup()))
    for replay in try OldReplays.all() {
      let comparison = try player.replay(replay)
      #expect(comparison.divergence == nil, "\(ReplayReport([[comparison]]).lines)")
      #expect(comparison.sameVerdicts, "\(ReplayReport([[comparison]]).lines)")
    }
  }

  @Test func `is not the same when a verdict is another`() throws {
    let old = "\"verdicts\": [\n    \"falseSignOut\"\n"
    let text = try OldReplays.changed(
      OldReplays.kill, old, "\"verdicts\": [\n    \"falseSignOut\",\n    \"keep\"\n")
    let comparison = try replayed(text)
    #expect(comparison.divergence == nil)
    #expect(!comparison.sameVerdicts && !comparison.isSame)
    #expect(ReplayReport([[comparison]]).exitCode == .finding)
    #expect(
      ReplayReport([[comparison]]).lines.contains("    verdicts recorded: falseSignOut keep"))
  }

  /// As if the lab made one operation less before the fault than it did when the file was written.
  @Test func `names the first decision that differs, and where its operation is now`() throws {
    let site = try #require(OldReplays.read(OldReplays.kill).sites.values.first?.operation)
    let comparison = try replayed(try OldReplays.changed(OldReplays.kill, "kill@op:6", "kill@op:5"))
    let divergence = try #require(comparison.divergence)
    #expect(divergence.index == 2)
    #expect(divergence.recorded?.label == site.description)
    #expect("\(divergence)".hasPrefix("choice 2: recorded 'write "), "\(divergence)")
    #expect("\(divergence)".contains(", met '"), "\(divergence)")
    #expect(comparison.moved?.step == 1 && comparison.moved?.operation == 6)
    #expect(!comparison.isSame)
  }

  @Test func `says so when its operation is gone`() throws {
    let text = try OldReplays.changed(OldReplays.kill, "RKStorage-journal", "RKStorage-jounral")
    let comparison = try replayed(text)
    #expect(comparison.divergence?.index == 2)
    #expect(comparison.moved == nil)
  }

  @Test func `says so when other changes were pending at a power cut`() throws {
    let pending = try #require(
      OldReplays.read(OldReplays.cut).sites.values.compactMap(\.survivors).first)
    let comparison = try replayed(
      try OldReplays.changed(
        OldReplays.cut, "\"pending\": \(pending.pendingCount)",
        "\"pending\": \(pending.pendingCount + 1)"))
    let divergence = try #require(comparison.divergence)
    #expect("\(divergence)".contains("recorded 'of \(pending.pendingCount + 1) pending"))
    #expect(comparison.sameVerdicts && !comparison.isSame)
  }

  @Test func `is not the same when its fault never fires`() throws {
    let comparison = try replayed(
      try OldReplays.changed(OldReplays.kill, "kill@op:6", "kill@op:600"))
    #expect(comparison.shown.run.faults.neverFired.count == 1)
    #expect(comparison.divergence?.met?.label == "launch")
    #expect(!comparison.isSame)
  }

  /// More operations behind the fault change nothing before it.
  @Test func `is the same though its save has another number of operations`() throws {
    let site = try #require(OldReplays.read(OldReplays.kill).sites.values.first?.operation)
    let comparison = try replayed(
      try OldReplays.changed(OldReplays.kill, "\"of\": \(site.count)", "\"of\": 99"))
    #expect(comparison.divergence == nil && comparison.sameVerdicts)
  }

  @Test func `of a good run says that there was no failure`() throws {
    let phone = try SimulatedPhone(PhoneSetup())
    var history = try OldReplays.read(OldReplays.kill).history
    history = Replay.History(
      phone: .android, store: "durable", settings: history.settings, seed: 3,
      steps: history.steps)
    let replay = try ReplayPlayer(on: phone).record(history, named: "good", foundBy: "a test")
    #expect(replay.failure == nil)
    #expect(replay.text.contains("\"failure\": null"))
    let again = try replayed(replay.text)
    #expect(again.divergence == nil && again.sameVerdicts)
  }
}

extension Mounted {
  @Suite struct `A replay` {
    @Test func `of every old file shows the same verdicts as in memory`() throws {
      try onLane { lane in
        let player = ReplayPlayer(on: lane.host)
        for replay in try OldReplays.all() {
          let comparison = try player.replay(replay)
          #expect(comparison.sameVerdicts, "\(ReplayReport([[comparison]]).lines)")
        }
      }
    }

    @Test(arguments: [
      "falseSignOut-explore-recipe-android-2.json", "falseSignOut-explore-recipe-android-3.json",
      "falseSignOut-explore-recipe-android-6.json", "falseSignOut-random-11-1.json",
    ])
    func `shows the same decisions and images as in memory`(file: String) throws {
      let comparison = try onLane { lane in
        try ReplayPlayer(on: lane.host).replay(OldReplays.read(file))
      }
      #expect(comparison.isSame, "\(ReplayReport([[comparison]]).lines)")
    }
  }
}
