package import Phone

/// What an exploration looks at, and how far.
package struct ExplorationPlan: Sendable {
  package var phone: PhoneKind
  package var store: String
  /// The program that keeps the session, where the store is none of the lab's.
  package var foreign: ForeignApp?
  /// The knobs of phone, libraries and client, the storage variants among them.
  package var settings = ScenarioSettings()
  /// How many crashes in a row: 2 has the recovery crash as well, 3 the recovery from that.
  package var depth = 1
  /// How many calls store the same session at once, and how many read it meanwhile. With more than
  /// one call, all orders of their waits are looked at.
  package var writerCount = 1
  package var readerCount = 0
  package var seed: UInt64
  /// How many choices of survivors are looked at for one moment, and bytes of one file; with more,
  /// as many are drawn.
  package var cutCountMax = 256
  /// How many orders of calls are looked at in one history.
  package var orderCountMax = 1_000
  /// How many calls are refused in one history; with more, as many are drawn.
  package var refusalCountMax = Int.max
  package var dangers: Set<Danger> = [.crashes, .errors]

  /// What is tried.
  package enum Danger: String, CaseIterable, Sendable {
    /// A kill and a power cut after every operation.
    case crashes
    /// Every error that a phone can give, at every operation.
    case errors
    /// A flipped bit in the bytes of both halves.
    case flips
  }

  package init(phone: PhoneKind, store: String, seed: UInt64) {
    self.phone = phone
    self.store = store
    self.seed = seed
  }

  /// The same with a program of somebody else's, which is looked at less closely when nobody says how.
  package init(_ plan: ExplorationPlan, app: ForeignApp, cutCountMax: Int? = nil) {
    self = plan
    store = ForeignApp.storeName
    foreign = app
    self.cutCountMax = cutCountMax ?? AppExplorer.cutCountMax
    orderCountMax = 4 * self.cutCountMax
    refusalCountMax = 16 * self.cutCountMax
  }

  /// How the app is started.
  var launch: AppLaunch {
    var launch = AppLaunch(store: store, settings: settings)
    launch.foreign = foreign
    return launch
  }

  /// What files are called that belong to it.
  var name: String {
    let parts = [
      store.split(separator: "/").joined(separator: "-"), phone.rawValue,
      depth > 1 ? "depth\(depth)" : nil, writerCount > 1 ? "writers\(writerCount)" : nil,
      readerCount > 0 ? "readers\(readerCount)" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: "-")
  }

  /// The command that explores it.
  var command: String {
    let app = foreign?.shellWords ?? "--store \(store)"
    var words = ["lab", "explore", app, "--phone", phone.rawValue]
    if writerCount > 1 { words += ["--writers", String(writerCount)] }
    if readerCount > 0 { words += ["--readers", String(readerCount)] }
    return words.joined(separator: " ")
  }

  package var hasOverlaps: Bool { writerCount + readerCount > 1 }
}
