import Chaos
import Gallery
import Linux
import Phone
import Reports
import Terminal

/// What `lab replay --as` tells of: a replay, or one case of a scenario.
struct OnDevice {
  let title: String
  let phone: PhoneKind
  let steps: [Scenario.Step]
  var sites: [Int: FaultSite] = [:]

  private static let help = "lab replay --help"

  /// - Parameters:
  ///   - word: A replay file, a scenario file, or the name of a scenario of the gallery.
  ///   - part: A part of the case that is meant.
  ///   - tool: What drives the phone.
  ///   - wanted: Which phone, where a scenario has several.
  /// - Returns: One, or as many as a folder has.
  /// - Throws: `Failure`, 2 for what cannot be read, 64 for what cannot be told.
  static func load(
    _ word: String, case part: String?, _ tool: DeviceTool, on wanted: PhoneKind?
  ) throws -> [OnDevice] {
    let isScenario =
      word.hasSuffix(".json5") || GalleryFiles.file(word) != nil && !Files.exists(word)
    guard isScenario else {
      if part != nil || wanted != nil {
        throw Failure.wrongUsage("a replay file has one case, and one phone", help: help)
      }
      return try Replays.load([word]).map { file in
        guard let replay = file.steps else {
          throw Failure.wrongUsage(
            "\(word) is a story of an app with its server, whose hours are virtual; --as tells "
              + "replays of storage, and scenarios", help: help)
        }
        let phone = replay.history.phone
        try check(tool, phone, word)
        return OnDevice(
          title: replay.name, phone: phone, steps: replay.history.steps, sites: replay.sites)
      }
    }
    return try Scenarios.load([word]).map { scenario in
      let phones = scenario.phones.filter { wanted == nil || wanted == $0 }
      guard let phone = phones.first(where: tool.phones.contains) ?? phones.first else {
        throw Failure.wrongUsage("\(word) is not for that phone", help: help)
      }
      try check(tool, phone, word)
      let one = try choose(part, of: scenario)
      return OnDevice(
        title: "\(scenario.name), \(one.name)", phone: phone, steps: one.steps)
    }
  }

  private static func check(_ tool: DeviceTool, _ phone: PhoneKind, _ word: String) throws {
    guard !tool.phones.contains(phone) else { return }
    let others = DeviceTool.allCases.filter { $0.phones.contains(phone) }.map(\.rawValue)
    throw Failure.wrongUsage(
      "\(word) is of an \(phone.rawValue) phone, which \(tool.rawValue) does not drive; there are: "
        + others.joined(separator: " "), help: help)
  }

  /// The case that has all parts of such a text as `seed+K1`; the only one where there is no other.
  private static func choose(_ part: String?, of scenario: Scenario) throws -> ScenarioCase {
    let spreads = scenario.cases
    guard let part else {
      // What differs in settings alone is told by the same steps.
      if let first = spreads.first, first.spreadStep == nil,
        spreads.allSatisfy({ $0.steps == first.steps })
      {
        return first
      }
      let points = spreads.contains { $0.spreadStep != nil } ? ["a point such as K1"] : []
      let names = spreads.flatMap(\.parts) + points
      let shown = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      throw Failure.wrongUsage(
        "\(scenario.name) has several cases; --case one of: \(shown.joined(separator: ", "))",
        help: help)
    }
    let words = part.split(separator: "+").map(String.init)
    for one in spreads where one.spreadStep == nil && words.allSatisfy(one.parts.contains) {
      return one
    }
    for spread in spreads where spread.spreadStep != nil {
      let others = words.filter { !spread.parts.contains($0) }
      guard let point = others.first, others.count == 1 else { continue }
      do {
        return spread.cases(at: [try TriggerExpression(point)])[0]
      } catch {
        throw Failure.wrongUsage("--case: \(error.reason)", help: help)
      }
    }
    throw Failure.wrongUsage(
      NoSuch.message("case", part, among: spreads.flatMap(\.parts)), help: help)
  }
}
