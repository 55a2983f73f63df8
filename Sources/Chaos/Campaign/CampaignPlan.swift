package import JSON
package import Phone
import Zoo

extension Campaign {
  /// How much of what. It says all that a process, or a machine, needs to do its part.
  package struct Plan: Sendable {
    package var seed: UInt64
    package var phones: [PhoneKind]
    /// The tiers of the gallery and of the histories, the one that proves more first.
    package var tiers: [Tier] = [.simulated]
    /// Which stores the gallery runs with.
    package var galleryStores: [String]
    /// The program that is the store in all but the canary; `nil` for the stores of the lab.
    package var foreign: ForeignApp?
    /// Which stores are explored.
    package var searchedStores: [String] = []
    /// How many choices of survivors an exploration looks at for one moment.
    package var exploredCutCountMax = 1
    /// How many crashes in a row it looks at.
    package var exploredDepth = 1
    /// Which stores random histories must not find a failure in.
    package var randomStores = ["durable", "keychain-only"]
    /// How many random histories are drawn on a tier, over all those stores.
    package var historyCounts: [Tier: Int] = [:]
    /// A store that is known to be broken: an engine that does not see it sees nothing. It is drawn
    /// from the zoo.
    package var canaryStore: String
    package var canaryTriesMax = 100
    /// Findings of earlier runs, which are tried first.
    package var oldFindings: [OldFinding] = []
    package var oldReplays: [Replay] = []

    package init(
      seed: UInt64, phones: [PhoneKind] = PhoneKind.allCases, galleryStores: [String]
    ) {
      self.seed = seed
      self.phones = phones
      self.galleryStores = galleryStores
      let canaries = Twin.canaries
      canaryStore = canaries[Int(seed % UInt64(canaries.count))].storeName
    }

    /// Plans for a program of somebody else's: the gallery and random histories.
    package init(seed: UInt64, phones: [PhoneKind] = PhoneKind.allCases, app: ForeignApp) {
      self.init(seed: seed, phones: phones, galleryStores: [ForeignApp.storeName])
      foreign = app
      tiers = [.mounted]
      randomStores = galleryStores
    }
  }

  /// A scenario file of an earlier run.
  package struct OldFinding: Sendable {
    package let scenario: Scenario
    package let text: String

    package init(_ scenario: Scenario, text: String) {
      self.scenario = scenario
      self.text = text
    }
  }
}

extension Campaign.Plan {
  /// Each phone with each store meets the kinds of event in turn.
  func round(ofHistory number: Int) -> Int { number / (phones.count * randomStores.count) }

  /// The program behind the store of a run; `nil` for a store of the lab.
  func foreign(behind store: String) -> ForeignApp? {
    store == ForeignApp.storeName ? foreign : nil
  }

  package var json: JSONValue {
    [
      "app": foreign?.json ?? .null, "seed": .number(seed),
      "phones": .list(phones.map { .text($0.rawValue) }),
      "tiers": .list(
        tiers.map { ["tier": .text($0.rawValue), "histories": .integer(historyCounts[$0] ?? 0)] }),
      "galleryStores": .list(galleryStores.map(JSONValue.text)),
      "searchedStores": .list(searchedStores.map(JSONValue.text)),
      "randomStores": .list(randomStores.map(JSONValue.text)),
      "cuts": .integer(exploredCutCountMax), "depth": .integer(exploredDepth),
      "canaryStore": .text(canaryStore), "canaryTries": .integer(canaryTriesMax),
      "oldFindings": .list(
        oldFindings.map { old in
          [
            "name": .text(old.scenario.name), "file": .text(old.scenario.place),
            "text": .text(old.text),
          ]
        }),
      "oldReplays": .list(
        oldReplays.map { old in
          [
            "name": .text(old.name), "file": .text(old.file ?? old.name),
            "text": .text(old.text),
          ]
        }),
    ]
  }

  /// Reads what ``json`` wrote.
  package init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a plan of a campaign")
    self.init(
      seed: try reader.required("seed").unsigned(),
      phones: try reader.required("phones").list { node throws(JSONError) in
        try node.word("phone")
      }, galleryStores: try reader.required("galleryStores").texts())
    let app = try reader.required("app")
    foreign = app.content == .null ? nil : try ForeignApp(app)
    tiers = []
    for node in try reader.required("tiers").list() {
      var tier = try node.object("a tier")
      let kind: Tier = try tier.required("tier").word("tier")
      tiers.append(kind)
      historyCounts[kind] = try tier.required("histories").count()
    }
    searchedStores = try reader.required("searchedStores").texts()
    randomStores = try reader.required("randomStores").texts()
    exploredCutCountMax = try reader.required("cuts").integer(in: 1...Int.max)
    exploredDepth = try reader.required("depth").integer(in: 1...Int.max)
    canaryStore = try reader.required("canaryStore").text()
    canaryTriesMax = try reader.required("canaryTries").count()
    oldFindings = try reader.required("oldFindings").list(of: Campaign.OldFinding.init)
    oldReplays = try reader.required("oldReplays").list { node throws(JSONError) in
      var old = try node.object("an old replay")
      var replay = try ReplayReader.read(
        Array(try old.required("text").text().utf8), name: try old.required("name").text())
      replay.file = try old.required("file").text()
      return replay
    }
    nameForeign()
  }

  /// Old findings of a program are played with the one that is there now.
  package mutating func nameForeign() {
    for index in oldReplays.indices {
      oldReplays[index].history.foreign = foreign(behind: oldReplays[index].history.store)
    }
  }
}

extension Campaign.OldFinding {
  fileprivate init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("an old finding")
    text = try reader.required("text").text()
    var scenario = try ScenarioReader.read(
      Array(text.utf8), name: try reader.required("name").text())
    scenario.file = try reader.required("file").text()
    self.scenario = scenario
  }
}
