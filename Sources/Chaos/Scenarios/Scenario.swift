package import JSON
package import Phone
package import Ports
package import Session

/// A scenario file, read and checked: what happens on which phones, and what each store must show.
package struct Scenario: Equatable, Sendable {
  package static let schema = "lab.scenario/1"

  /// The file's name without its ending: `torn-save`.
  package let name: String
  /// The path of its file, as it was named; `nil` for one that the program holds.
  package var file: String?
  package let title: String
  package let phones: [PhoneKind]
  /// The seed of all that is drawn, where the file fixes one.
  package let seed: UInt64?
  package let story: String
  /// The stores that it runs with; empty for all.
  package let stores: [String]
  package let settings: ScenarioSettings
  package let variations: [Variation]
  package let steps: [Step]
  /// What a store shows, by its name; `good` is what every correct store shows.
  package let expectations: [Expectation]

  /// Whether it stands for a replay file; those of scenarios say what is expected.
  package var isReplay: Bool { expectations.isEmpty }

  /// The stores that it runs with when nobody asks for others.
  package var storesByItself: [String] { stores.isEmpty ? StoreKind.all.map(\.name) : stores }

  /// Whether it runs with a store: with each in the lists when it names none itself.
  func isMeant(for store: String) -> Bool { storesByItself.contains(store) }

  /// Whether it runs with a program of somebody else's: when it names no store, or the one whose row
  /// counts, and the lab's own client is not the app of every case.
  package func isMeant(for foreign: ForeignApp) -> Bool {
    (stores.isEmpty || foreign.expectAs.map(stores.contains) ?? false)
      && cases.contains { $0.settings.clientProfile == nil }
  }

  /// What `lab run` finds it by.
  package var place: String { file ?? name }

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

    /// Whether only an app with its client can do it.
    var needsClient: Bool {
      switch action {
      case .setClock, .refresh(to: nil): true
      case .launch(_, let way): way != .icon
      case .read(let times, _): times > 1
      case .disturbance(let steps): steps.contains(where: \.needsClient)
      case .happen(let request): request.kind.isOnServer
      default: fault?.kind.isOnServer == true
      }
    }

    /// How often the app is looked at in it, which shows one verdict at most each time.
    func lookCount(hasClient: Bool) -> Int {
      switch action {
      case .launch(let times, _): times
      case .disturbance(let steps): steps.reduce(0) { $0 + $1.lookCount(hasClient: hasClient) }
      default: readsSession(hasClient: hasClient) ? 1 : 0
      }
    }

    /// How much time passes in it at most.
    var longestMs: Int64 {
      switch action {
      case .clock(let step): step
      case .read(let times, let everyMs): Int64(times) * everyMs
      case .disturbance(let steps): steps.map(\.longestMs).max() ?? 0
      default: 0
      }
    }

    /// Whether a session begins with it.
    var signsIn: Bool {
      switch action {
      case .signIn: true
      case .overlap(let overlap): overlap.generation == 1
      case .disturbance(let steps): steps.contains(where: \.signsIn)
      default: false
      }
    }

    /// Whether a verdict can come of it; an app with its client shows how it stands when the person
    /// comes back to it.
    func readsSession(hasClient: Bool) -> Bool {
      switch action {
      case .launch, .read: true
      case .become(.active): hasClient
      case .disturbance(let steps): steps.contains { $0.readsSession(hasClient: hasClient) }
      default: false
      }
    }
  }

  package enum Action: Equatable, Sendable {
    case signIn
    /// Stores that generation; without one, what the server gives.
    case refresh(to: Int?)
    /// Several calls that store and read at once.
    case overlap(Overlap)
    /// Reads the session in the running app, with its caches; with its client so often, in such
    /// intervals.
    case read(times: Int = 1, everyMs: Int64 = 0)
    case signOut
    /// Starts the app anew, as often as `times` says; each reads the session.
    case launch(times: Int, LaunchWay = .icon)
    /// The person leaves the app, or comes back to it.
    case become(AppState)
    /// Another app opens an address of the app.
    case openURL(String)
    /// The phone's clock is set so far ahead of the true time.
    case setClock(aheadMs: Int64)
    case clock(byMs: Int64)
    /// The app stores a text of its own in SecureStore, under a name.
    case storeSecret(name: String)
    /// Another version of the app or of its libraries: these settings from here on. So are
    /// sessions of another size.
    case update(ScenarioSettings)
    case snapshot(name: String, half: HalfChoice)
    case restore(name: String, half: HalfChoice, onNewDevice: Bool)
    /// An event of the operating system, or a fault that happens at once.
    case happen(FaultRequest)
    /// Steps that the control run leaves out.
    case disturbance([Step])
  }

  /// What starts the app.
  package enum LaunchWay: String, CaseIterable, Sendable {
    /// The person, by its icon.
    case icon = "cold"
    /// The system: nobody sees the app.
    case background
    /// The address that the page in the browser leads back to.
    case callback
    /// Such an address that belongs to a sign-in of another phone.
    case foreignCallback = "foreign-callback"
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
      package let expected: Expected
      package let range: SourceRange
    }
  }

  package static let goodStore = "good"

  /// What a store must show in a case.
  package enum Expected: Equatable, Sendable {
    /// For each verdict in launch order, the words that are right there.
    case exactly([[Verdict]])
    /// Every verdict is `keep`, and there is one: what a control must show.
    case allKeep
    /// Whatever is no failure.
    case noFailure
    /// The case does not apply to the store, and is not run.
    case notRun
  }
}

extension Scenario.Expected: CustomStringConvertible {
  /// What is often mistaken for verdicts of several launches.
  package static let spelling = "alternatives are written \"keep|recover\""

  package func accepts(_ shown: [Verdict]) -> Bool {
    switch self {
    case .exactly(let words):
      shown.count == words.count && zip(shown, words).allSatisfy { $1.contains($0) }
    case .allKeep: !shown.isEmpty && shown.allSatisfy { $0 == .keep }
    case .noFailure: !shown.contains(where: \.isFailure)
    case .notRun: false
    }
  }

  /// One word for each launch: `keep|recover`.
  package var words: [String] {
    switch self {
    case .exactly(let words): words.map { $0.map(\.rawValue).joined(separator: "|") }
    case .allKeep: ["keep"]
    case .noFailure: ["noFailure"]
    case .notRun: []
    }
  }

  /// `reject, then keep or recover`.
  package var description: String {
    switch self {
    case .exactly(let words):
      words.isEmpty
        ? "nothing"
        : words.map { $0.map(\.rawValue).joined(separator: " or ") }.joined(separator: ", then ")
    case .allKeep: "keep"
    case .noFailure: "no failure"
    case .notRun: "nothing; the case is not for this store"
    }
  }
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
}
