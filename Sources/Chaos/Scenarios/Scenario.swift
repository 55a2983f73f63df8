package import JSON

/// A scenario file, read and checked: what happens on which phones, and what each store must show.
package struct Scenario: Equatable, Sendable {
  package static let schema = "lab.scenario/1"

  /// The file's name without its ending: `torn-save`.
  package let name: String
  package let title: String
  package let phones: [String]
  package let story: String
  /// The stores that it runs with; empty for all.
  package let stores: [String]
  package let settings: ScenarioSettings
  package let variations: [Variation]
  package let steps: [Step]
  /// What a store shows, by its name; `good` is what every correct store shows.
  package let expectations: [Expectation]

  /// One thing that differs between cases.
  package struct Variation: Equatable, Sendable {
    package let name: String
    package let alternatives: [Alternative]
  }

  /// One value of a variation: a setting, or a fault for the steps that name the variation.
  package struct Alternative: Equatable, Sendable {
    package let name: String
    package let setting: ScenarioSettings.Key?
    package let fault: FaultRequest?
  }

  package struct Step: Equatable, Sendable {
    package let action: Action
    /// A fault that hits this step.
    package let fault: FaultRequest?
    /// A variation whose alternative gives the fault.
    package let variation: String?
    /// The line in the file, for messages; 0 for a step that was not read.
    package let line: Int

    package init(
      _ action: Action, fault: FaultRequest? = nil, variation: String? = nil, line: Int = 0
    ) {
      self.action = action
      self.fault = fault
      self.variation = variation
      self.line = line
    }
  }

  package enum Action: Equatable, Sendable {
    case signIn
    case refresh(to: Int)
    /// Reads the session in the running app, with its caches.
    case read
    case signOut
    /// Starts the app anew, as often as `times` says; each reads the session.
    case launch(times: Int)
    case clock(byMs: Int64)
    /// Sessions from here on are larger than the size rule allows.
    case growSession
    case snapshot(name: String, half: HalfChoice)
    case restore(name: String, half: HalfChoice, onNewDevice: Bool)
    /// An event of the operating system, or a fault that happens at once.
    case happen(FaultRequest)
    /// Steps that the control run leaves out.
    case disturbance([Step])
  }

  package enum HalfChoice: String, CaseIterable, Sendable {
    case key, blob, both
  }

  package struct Expectation: Equatable, Sendable {
    package let store: String
    package let rows: [Row]

    package struct Row: Equatable, Sendable {
      /// Each pattern is a set of parts that a case must have; the empty set fits every case.
      package let patterns: [[String]]
      /// For each verdict in launch order, the words that are right there; `nil` when the case does
      /// not apply to the store and is not run.
      package let verdicts: [[Verdict]]?
      package let range: SourceRange
    }
  }

  package static let goodStore = "good"
}

extension Scenario.Expectation {
  /// The first row that fits a case; `*` comes last whatever its place in the file.
  package func row(for parts: [String]) -> Row? {
    rows.first { !$0.isRest && $0.fits(parts) } ?? rows.first(where: \.isRest)
  }
}

extension Scenario.Expectation.Row {
  package var isRest: Bool { patterns.contains([]) }

  func fits(_ parts: [String]) -> Bool {
    patterns.contains { $0.allSatisfy(parts.contains) }
  }

  /// Whether these verdicts are what the row asks for.
  package func accepts(_ shown: [Verdict]) -> Bool {
    guard let verdicts else { return false }
    return shown.count == verdicts.count && zip(shown, verdicts).allSatisfy { $1.contains($0) }
  }
}
