import Device
import Linux
import Phone

/// Goes through all cases, round by round, and notes what each took.
struct ExplorationRounds: Rounds {
  static let lab = "lab"
  static let naive = "naive"
  static let opened = "opened"
  static let neighbours = "neighbours"

  static let whole = "crash state, all of a log"
  static let long = "crash state, long walk"
  static let torn = "crash state, torn writes"
  static let told = "crash state, told apart"
  static let drawn = "crash state, drawn"
  static let rate = "crash states, long walk"
  static let heap = "heap growth of a state, bytes"
  static let images = "distinct images, long walk"
  static let states = "states"
  static let recoveries = "recoveries"

  static func preparation(_ length: Int) -> String { "preparation, \(length) saves" }
  static func step(_ length: Int) -> String { "drawn state, \(length) saves" }
  static let stores = ["recipe", "durable"]

  static func crashes(_ store: String, _ phone: PhoneKind) -> String {
    "states, \(store) on \(phone.rawValue)"
  }
  static func depth(_ depth: Int) -> String { "exploration, depth \(depth)" }
  static func writers(_ count: Int) -> String { "exploration, writers: \(count)" }

  private(set) var ledger = Ledger()
  private let parameters: ExplorationSuite.Parameters
  private let device: StorageDevice
  private let longDevice: StorageDevice
  private let lengths: [(count: Int, device: StorageDevice)]
  private let naive: NaiveReplay
  private let databases: [DatabaseStates]
  private let saves: SaveWork
  private var explorationsLeft: Int
  /// Of the images of the first walk.
  private(set) var digest = ""

  /// - Throws: ``BenchmarkError/differentWork(_:)`` when the walk and the naive replay, or two ways
  ///   to ask a database, come to different results; else what a part threw.
  init(_ parameters: ExplorationSuite.Parameters, executable: String?) throws {
    self.parameters = parameters
    let workload = CrashWorkload(saveCount: parameters.saveCount)
    device = try workload.device()
    longDevice = try CrashWorkload(saveCount: parameters.longSaveCount).device()
    lengths = try parameters.lengths.map { ($0, try CrashWorkload(saveCount: $0).device()) }
    naive = NaiveReplay(workload)
    let walked = StateWork.walk(device, tears: .none, keepsImages: true)
    guard walked.stateCount == naive.stateCount, walked.images.count == naive.imageCount() else {
      throw BenchmarkError.differentWork("the naive replay")
    }
    digest = walked.images.map(\.description).min() ?? ""
    databases = try DatabaseStates.Journal.allCases.map {
      try DatabaseStates($0, stateMax: parameters.databaseStateMax)
    }
    for database in databases where !database.agrees() {
      throw BenchmarkError.differentWork("the kept connection")
    }
    explorationsLeft = parameters.explorationCount
    saves = try SaveWork(executable, share: parameters.share)
  }

  func end() { saves.end() }

  mutating func play(_ watch: Watch) throws {
    ledger.add(Double(try MachineDescription.neighbourCount()), Self.neighbours, Self.lab)
    try playStates(watch)
    try playGrowth(watch)
    for database in databases {
      try watch.check()
      ledger.add(database.kept(), database.journal.rawValue, Self.lab)
      ledger.add(database.opened(), database.journal.rawValue, Self.opened)
    }
    try watch.check()
    try saves.play(parameters.batchCount, &ledger)
    if explorationsLeft > 0 { try playExplorations(watch) }
    explorationsLeft -= 1
  }

  private mutating func playStates(_ watch: Watch) throws {
    try watch.check()
    ledger.add(StateWork.walk(device, tears: .none).nsEach, Self.whole, Self.lab)
    let start = Clocks.threadNs
    let imageCount = naive.imageCount()
    ledger.add(
      Double(Clocks.threadNs - start) / Double(naive.stateCount), Self.whole, Self.naive)
    try watch.check()
    let limit = parameters.longStateCount
    let long = StateWork.walk(longDevice, tears: .none, limit: limit)
    ledger.add(long.nsEach, Self.long, Self.lab)
    ledger.add(1e9 / long.nsEach, Self.rate, Self.lab)
    let torn = StateWork.walk(longDevice, tears: .oneInEachDomain, limit: limit)
    ledger.add(torn.nsEach, Self.torn, Self.lab)
    let told = StateWork.walk(longDevice, tears: .none, limit: limit, keepsImages: true)
    ledger.add(told.nsEach, Self.told, Self.lab)
    ledger.add(Double(told.images.count), Self.images, Self.lab)
    ledger.add(Double(told.stateCount), Self.images, Self.states)
    let drawn = StateWork.walk(
      longDevice, tears: .oneInEachDomain, countMax: parameters.drawCount)
    ledger.add(drawn.nsEach, Self.drawn, Self.lab)
    ledger.add(StateWork.heapGrowth(longDevice, limit: limit), Self.heap, Self.lab)
    guard imageCount > 0 else { throw BenchmarkError.differentWork("the naive replay") }
  }

  private mutating func playGrowth(_ watch: Watch) throws {
    for (count, device) in lengths {
      try watch.check()
      ledger.add(StateWork.preparation(device), Self.preparation(count), Self.lab)
      let walked = StateWork.walk(device, tears: .none, countMax: parameters.drawCount)
      ledger.add(walked.nsEach, Self.step(count), Self.lab)
    }
  }

  private mutating func playExplorations(_ watch: Watch) throws {
    for phone in PhoneKind.allCases {
      for store in Self.stores {
        let explored = try RecoveryWork.exploreCrashes(
          of: store, on: phone, cutCountMax: parameters.cutCountMax, watch)
        ledger.add(
          1e9 * Double(explored.originCount) / explored.ns, Self.crashes(store, phone), Self.lab)
      }
    }
    for depth in 1...parameters.depthMax {
      let explored = try explore(
        Self.depth(depth), depth: depth, cutCountMax: parameters.cutCountMax, watch)
      if depth == 1 {
        ledger.add(
          1e9 * Double(explored.imageCount) / explored.ns, Self.recoveries, Self.lab)
      }
    }
    for count in 1...parameters.writerMax {
      try explore(
        Self.writers(count), writerCount: count, cutCountMax: parameters.writerCutCountMax, watch)
    }
  }

  @discardableResult
  private mutating func explore(
    _ name: String, depth: Int = 1, writerCount: Int = 1, cutCountMax: Int, _ watch: Watch
  ) throws -> RecoveryWork.Explored {
    let explored = try RecoveryWork.explore(
      depth: depth, writerCount: writerCount, cutCountMax: cutCountMax, watch)
    ledger.add(explored.ns, name, Self.lab)
    ledger.add(Double(explored.originCount), name, "origins")
    ledger.add(Double(explored.imageCount), name, "images")
    return explored
  }
}
