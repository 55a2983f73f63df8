package import Phone
package import Ports
import Session

/// A run that can be had again, with what it showed: the decisions that led there, not a seed that
/// would lead elsewhere after the next change of the lab.
///
/// A seed is there all the same, for what the phone draws: keys, names of temporary files. It decides
/// no step and no fault.
package struct Replay: Equatable, Sendable {
  package static let schema = "lab.replay/1"

  /// The file's name without its ending.
  package var name: String
  /// The path of its file, as it was named; `nil` before there is one.
  package var file: String?
  package var history: History
  /// Where each fault of the history fell, by the position of its step.
  package var sites: [Int: FaultSite]
  package var verdicts: [Verdict]
  /// What was stored after each kill and power cut, and at the end.
  package var images: [String]
  /// The first failure among the verdicts; `nil` when there is none.
  package var failure: Verdict?
  /// Why, in one sentence.
  package var because: String
  package var foundBy: String

  /// What is played: on which phone, with which store, step by step.
  package struct History: Equatable, Sendable {
    package let phone: PhoneKind
    package let store: String
    package var settings: ScenarioSettings
    package let seed: UInt64
    package var steps: [Scenario.Step]
    /// The program that keeps the session, when the store is none of the lab's. No file names it: it
    /// lies elsewhere on each machine.
    package var foreign: ForeignApp?

    package init(
      phone: PhoneKind, store: String, settings: ScenarioSettings, seed: UInt64,
      steps: [Scenario.Step]
    ) {
      self.phone = phone
      self.store = store
      self.settings = settings
      self.seed = seed
      self.steps = steps.flatMap(\.asWritten)
    }
  }

  /// All decisions in order, as many as a shrinker counts.
  package var choices: [Choice] { history.choices(at: sites) }

  /// One decision: what was decided, and among how many.
  package struct Choice: Equatable, Sendable {
    package let label: String
    /// `nil` where the alternatives cannot be counted.
    package let count: Int?
  }
}

extension Replay.History {
  /// The decisions of a run of this history: its steps, where each fault fell, what survived.
  func choices(at sites: [Int: FaultSite]) -> [Replay.Choice] {
    steps.enumerated().flatMap { index, step in
      var choices = [Replay.Choice(label: step.words, count: nil)] + step.turns
      let site = sites[index]
      if let operation = site?.operation {
        choices.append(Replay.Choice(label: operation.description, count: operation.count))
      }
      if let survivors = site?.survivors {
        choices.append(Replay.Choice(label: survivors.description, count: survivors.pendingCount))
      }
      return choices
    }
  }
}

extension Scenario.Step {
  /// The places of an overlap at which not the one goes on that has waited longest.
  fileprivate var turns: [Replay.Choice] {
    guard case .overlap(let overlap) = action else { return [] }
    return overlap.order.enumerated().filter { $0.element > 0 }.map { place, call in
      Replay.Choice(label: "at place \(place + 1) call \(call) goes on", count: nil)
    }
  }

  /// In a file a launch and its fault share one `times`: of several launches, the one that a single
  /// fault hits is a step of its own.
  fileprivate var asWritten: [Scenario.Step] {
    guard case .launch(let times, let way) = action, times > 1, let fault,
      fault.times == 1
    else {
      return [self]
    }
    return [
      Scenario.Step(.launch(times: 1, way), fault: fault, line: line),
      Scenario.Step(.launch(times: times - 1, way), line: line),
    ]
  }
}

/// Where a fault fell: what was recorded of it beside its trigger.
package struct FaultSite: Equatable, Sendable {
  /// `nil` for a fault between two steps.
  package var operation: Operation?
  /// `nil` when the power did not fail.
  package var survivors: Kept?

  package struct Operation: Equatable, Sendable {
    /// Kind and path: `write /Documents/manifest.json`.
    package let words: String
    /// The last point that the step had announced before.
    package let behind: LogicalPoint?
    /// Which of the step's operations with these words, from 1.
    package let occurrence: Int
    /// How many operations the step makes without the fault.
    package var count: Int
  }

  /// What a power cut left of the changes that were pending.
  package struct Kept: Equatable, Sendable {
    package let pendingCount: Int
    /// The operations that had left those changes which were named one by one; several of
    /// one operation, or of equal ones, are one text.
    package let named: [String]
  }
}

extension FaultSite.Operation: CustomStringConvertible {
  package var description: String {
    (occurrence == 1 ? words : "\(words), time \(occurrence)")
      + (behind.map { " behind \($0.rawValue)" } ?? "")
  }
}

extension FaultSite.Kept: CustomStringConvertible {
  package var description: String {
    "of \(pendingCount) pending changes"
      + (named.isEmpty ? "" : " those of " + named.joined(separator: "; "))
  }
}
