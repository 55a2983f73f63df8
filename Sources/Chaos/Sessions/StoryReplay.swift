package import JSON
import Phone
import Session

/// A story with its fault that can be had again, with what it came to.
package struct StoryReplay: Equatable, Sendable {
  package static let schema = "lab.story/1"

  /// The file's name without its ending.
  package var name: String
  /// The path of its file, as it was named; `nil` before there is one.
  package var file: String?
  /// Which phone, store, client and settings.
  package let plan: SessionPlan
  /// What it came to.
  package let recorded: SessionExplorer.Case
  package let foundBy: String

  package init(
    _ recorded: SessionExplorer.Case, of plan: SessionPlan, named name: String, foundBy: String
  ) {
    self.name = name
    self.plan = SessionPlan(
      phone: plan.phone, store: plan.store, profile: plan.profile, settings: plan.settings,
      seed: plan.seed)
    self.recorded = recorded
    self.foundBy = foundBy
  }

  /// Plays it again, in virtual time.
  ///
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  package func play() throws(PhoneHostError) -> StoryComparison {
    let world = try SessionWorld(
      plan, fault: recorded.fault, secondKill: recorded.secondKill, isTold: true)
    let shown = try world.run(recorded.story)
    return StoryComparison(replay: self, shown: shown, account: world.account)
  }
}

/// A story's replay beside what it has shown this time.
package struct StoryComparison: Sendable {
  package let replay: StoryReplay
  /// `nil` when a fault fell nowhere: the story has fewer steps or requests now.
  package let shown: SessionExplorer.Case?
  package let account: [StoryLine]

  package var isSame: Bool { shown == replay.recorded }
}

/// One line of how a story went.
package struct StoryLine: Equatable, Sendable {
  /// Since the story began.
  package let milliseconds: Int64
  package let text: String
  /// What the app shows then; `nil` while it does not run.
  package let shows: String?
  /// What is stored then; of a fault, what it meets.
  package let key: StoryHalf
  package let blob: StoryHalf
  package let isFault: Bool
}

// MARK: - The file

extension StoryReplay {
  package var text: String { JSONWriter.text(of: json, .pretty) + "\n" }

  private var json: JSONValue {
    var object = JSONObject()
    object["schema"] = .text(Self.schema)
    object["foundBy"] = .text(foundBy)
    object["phone"] = .text(plan.phone.rawValue)
    object["store"] = .text(plan.store)
    object["client"] = .text(plan.profile.rawValue)
    if plan.settings != ScenarioSettings() { object["settings"] = plan.settings.json }
    object["seed"] = .number(plan.seed)
    object["story"] = .text(recorded.story.rawValue)
    object["fault"] = recorded.fault.map { .text("\($0)") }
    object["secondKill"] = recorded.secondKill.map { .integer($0) }
    object["met"] = .text(recorded.call)
    object["verdict"] = .text(recorded.judgement.verdict.rawValue)
    object["because"] = .text(recorded.judgement.because)
    return .object(object)
  }

  /// Reads a file strictly.
  ///
  /// - Parameters:
  ///   - node: The document.
  ///   - name: The file's name without its ending.
  /// - Throws: `JSONError` with the place and the nearest valid word.
  package init(_ node: JSONNode, name: String) throws(JSONError) {
    var object = try node.object(
      "a story's replay",
      keys: [
        "schema", "foundBy", "phone", "store", "client", "settings", "seed", "story", "fault",
        "secondKill", "met", "verdict", "because",
      ])
    let schema = try object.required("schema")
    guard try schema.text() == Self.schema else {
      throw schema.error("this lab reads stories of another format", allowed: Self.schema)
    }
    let phone = try object.required("phone").word("phone", as: PhoneKind.self)
    let settings = object.optional("settings")
    plan = SessionPlan(
      phone: phone, store: try ScenarioReader.store(object.required("store")),
      profile: try object.required("client").word("client", as: AppProfile.self),
      settings: try ScenarioReader(name: name).settings(settings, on: phone),
      seed: try object.required("seed").unsigned())
    let story = try object.required("story").word("story", as: SessionStory.self)
    let fault = try object.optional("fault").map(Self.fault)
    let secondKill = try object.optional("secondKill")?.integer(in: 1...1_000_000)
    recorded = SessionExplorer.Case(
      story: story, fault: fault, secondKill: secondKill,
      call: try object.required("met").text(),
      judgement: Judgement(
        try object.required("verdict").word("verdict", as: Verdict.self),
        try object.required("because").text()))
    foundBy = try object.required("foundBy").text()
    self.name = name
    try object.finish()
  }

  private static func fault(_ node: JSONNode) throws(JSONError) -> SessionFault {
    guard let fault = SessionFault(try node.text()) else {
      throw node.error("no fault of a story", allowed: "such as kill@74")
    }
    return fault
  }
}
