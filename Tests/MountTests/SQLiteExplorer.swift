import SQLite
import Testing

@testable import Device

/// What crashes did to a database, from the best to the worst.
enum SQLiteDamage: Int, Comparable, Sendable {
  /// Every acknowledged transaction is there, and that in flight wholly or not at all.
  case nothing
  /// The last acknowledged transaction may be gone.
  case lastCommit
  /// Several of the last acknowledged transactions may be gone.
  case lastCommits
  /// The database is damaged, or holds what no transaction left.
  case soundness

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The name of one crash state of a recording.
struct SQLiteCrash: CustomStringConvertible {
  let profile: PersistenceProfile
  /// How many operations had been made.
  let operationCount: Int
  let survivors: Survivors

  var description: String {
    let choice =
      if case .kept(let chosen) = survivors { "kept(\(chosen.sorted()))" } else { "\(survivors)" }
    return "SQLiteCrash(profile: \(profile.name), operationCount: \(operationCount), "
      + "survivors: .\(choice))"
  }
}

/// Opens crash states of one recording, each image once.
final class SQLiteExplorer {
  let recording: SQLiteRecording
  private let image: SQLiteImage
  private var outcomes: [Int: SQLiteImage.Outcome] = [:]
  private(set) var stateCount = 0

  var imageCount: Int { outcomes.count }

  /// The worst that was found, with where.
  struct Finding: CustomStringConvertible {
    var damage = SQLiteDamage.nothing
    var crash: SQLiteCrash?
    var outcome: SQLiteImage.Outcome?

    var description: String {
      "\(damage) in \(crash.map(String.init(describing:)) ?? "no state"): "
        + "\(outcome.map(String.init(describing:)) ?? "")"
    }
  }

  init(_ recording: SQLiteRecording) throws {
    self.recording = recording
    image = try SQLiteImage()
  }

  /// Opens one crash state again, by its name.
  func damage(
    of crash: SQLiteCrash
  ) throws -> (damage: SQLiteDamage, outcome: SQLiteImage.Outcome) {
    let device = try recording.replay(on: crash.profile, upTo: crash.operationCount)
    let outcome = try outcome(of: device.crashState(crash.survivors).live)
    return (damage(outcome, after: crash.operationCount), outcome)
  }

  /// Kills the process after every operation: all that is live stays.
  func killEverywhere() throws -> Finding {
    var worst = Finding()
    _ = try recording.replay(on: .strict) { device, _ in
      let crash = SQLiteCrash(
        profile: .strict, operationCount: device.operationCount, survivors: .all)
      note(crash, try outcome(of: device.live), &worst)
    }
    return worst
  }

  /// Cuts the power after every operation, in every way where there are few, else in some.
  /// Ends when damage as bad as `limit` was found.
  func cutPowerEverywhere(
    _ profile: PersistenceProfile, drawCount: Int, until limit: SQLiteDamage
  ) throws -> Finding {
    var worst = Finding()
    // What survives may be the same after several operations, and yet be judged in another way.
    var known: [StateKey: SQLiteImage.Outcome] = [:]
    _ = try recording.replay(on: profile) { device, step in
      for survivors in device.cuts(after: step, drawCount: drawCount) where worst.damage < limit {
        stateCount += 1
        let key = StateKey(device, survivors)
        let outcome = try known[key] ?? outcome(of: device.crashState(survivors).live)
        known[key] = outcome
        let crash = SQLiteCrash(
          profile: profile, operationCount: device.operationCount, survivors: survivors)
        note(crash, outcome, &worst)
      }
    }
    return worst
  }

  private func note(
    _ crash: SQLiteCrash, _ outcome: SQLiteImage.Outcome, _ worst: inout Finding
  ) {
    let damage = damage(outcome, after: crash.operationCount)
    if damage > worst.damage {
      worst = Finding(damage: damage, crash: crash, outcome: outcome)
    }
  }

  private func outcome(of state: Volume) throws -> SQLiteImage.Outcome {
    let files = state.databaseFiles
    let digest = files.digest
    if let known = outcomes[digest] { return known }
    let outcome = try image.open(files)
    outcomes[digest] = outcome
    return outcome
  }

  private func damage(
    _ outcome: SQLiteImage.Outcome, after operationCount: Int
  ) -> SQLiteDamage {
    let commits = recording.commits
    guard case .content(let content) = outcome,
      let found = commits.firstIndex(where: { $0.content == content }),
      let acknowledged = commits.lastIndex(where: { $0.operationCount <= operationCount }),
      found <= acknowledged + 1
    else { return .soundness }
    return switch acknowledged - found {
    case ...0: .nothing
    case 1: .lastCommit
    default: .lastCommits
    }
  }

  /// What survives, told without building it: two states with one key are equal.
  private struct StateKey: Hashable {
    let durableCount: Int
    let sequences: [Int]
    let fates: [Fate]

    init(_ device: StorageDevice, _ survivors: Survivors) {
      let pending = device.pending.ordered
      let fates = CrashChoice(survivors, domains: device.domains).fates(of: pending)
      let kept = pending.indices.filter { fates[$0] != .lost }
      durableCount = device.lastSequence - pending.count
      sequences = kept.map { pending[$0].sequence }
      self.fates = kept.map { fates[$0] }
    }
  }
}

extension StorageDevice {
  /// Ways in which a power cut now may end: each subset of the pending changes when they are few,
  /// else some that break the order of few changes, and some at random. Both with torn sectors.
  func cuts(after step: Recording.Step, drawCount: Int) -> [Survivors] {
    let count = pending.count
    guard count > 0 else { return [.none] }
    var draws = Draws(seed: UInt64(operationCount))
    var cuts: [Survivors] = [.none, .all, .issued]
    if count <= 4 {
      cuts += (0..<1 << count).map { mask in
        .kept(Set((0..<count).filter { mask >> $0 & 1 == 1 }))
      }
    }
    for draw in 0..<drawCount {
      let one = draws.below(count)
      switch draw % 4 {
      case 0: cuts.append(.kept(Set(0..<count).subtracting([one])))
      case 1: cuts.append(.kept([one]))
      case 2: cuts.append(.kept(Set(0..<one)))
      default: cuts.append(.seeded(draws.next() >> 40))
      }
    }
    if case .write(_, _, let bytes) = step.request, let number = step.number, bytes.count > 512 {
      let kept = draws.below(bytes.count / 512) + 1
      cuts.append(.torn(number, sectorCount: kept, rest: .none))
      cuts.append(.torn(number, sectorCount: kept, rest: .all))
    }
    return cuts
  }
}
