import Linux
import SQLite
import Testing

@testable import Device

extension `A mounted device` {
  @Suite struct `carries SQLite, which` {
    /// How many ways of a power cut are drawn after each operation; more with `LAB_SQLITE_STATES`.
    private static let drawCount = Files.environment("LAB_SQLITE_STATES").flatMap { Int($0) } ?? 2

    @Test func `leaves on every profile what the replay of one recording leaves`() async throws {
      let workload = SQLiteWorkload(journal: .wal, synchronous: .full)
      for profile in PersistenceProfile.all {
        let recording = try await SQLiteRecording(workload, on: profile)
        let replayed = try recording.replay(on: profile)
        #expect(replayed.live.digest() == recording.device.live.digest(), "\(profile.name)")
        #expect(replayed.durable.digest() == recording.device.durable.digest(), "\(profile.name)")
        #expect(replayed.operationCount == recording.device.operationCount)
      }
    }

    @Test(arguments: SQLiteWorkload.all)
    func `loses in crashes what journal, syncs and profile say, no more and no less`(
      workload: SQLiteWorkload
    ) async throws {
      let recording = try await SQLiteRecording(workload, on: .posixWeak)
      let explorer = try SQLiteExplorer(recording)
      let killed = try explorer.killEverywhere()
      #expect(killed.damage == .nothing, "\(workload.testDescription): \(killed)")
      for profile in workload.profiles {
        let promise = workload.damage(on: profile)
        // A search that ends with what it looks for may look in more places.
        let draws = promise.lowerBound == .soundness ? 8 + Self.drawCount : Self.drawCount
        let finding = try explorer.cutPowerEverywhere(
          profile, drawCount: draws, until: .soundness)
        #expect(
          promise.contains(finding.damage),
          """
          \(workload.testDescription): \(finding); \(explorer.stateCount) states, \
          \(explorer.imageCount) images
          """)
        // A state is found again by its name alone.
        guard let crash = finding.crash else { continue }
        let again = try explorer.damage(of: crash)
        #expect(again.damage == finding.damage, "\(crash)")
      }
    }
  }
}

extension SQLiteWorkload {
  /// Where it is worth to look. Large states are slow, and show the same as small ones.
  fileprivate var profiles: [PersistenceProfile] {
    script.name == "large"
      ? [.posixWeak] : [.strict, .ordered, .f2fs, .apfs, .posixWeak, .fsyncLies]
  }

  /// The worst that power cuts do on a profile: all of it is found, and nothing worse.
  ///
  /// The words in quotes are of SQLite's page on `PRAGMA synchronous`.
  fileprivate func damage(on profile: PersistenceProfile) -> ClosedRange<SQLiteDamage> {
    switch profile {
    case .strict: return .nothing ... .nothing
    case .fsyncLies: return .soundness ... .soundness
    // A sync is no barrier, so FULL is as good as OFF: pages of the database may reach the medium
    // without their journal. In a WAL the checksums, each built on the one before, find the end of
    // what survived; this holds until a checkpoint, which believes that its sync kept the WAL.
    case .apfs:
      return script.isClosed ? .soundness ... .soundness : .lastCommits ... .lastCommits
    default: return journal == .wal ? damageOfWAL : damageOfRollback(on: profile)
    }
  }

  private var damageOfWAL: ClosedRange<SQLiteDamage> {
    switch synchronous {
    // "WAL mode is always consistent with synchronous=NORMAL, but WAL mode does lose durability."
    case .normal: .lastCommits ... .lastCommits
    case .full, .extra: .nothing ... .nothing
    case .off: .soundness ... .soundness
    }
  }

  private func damageOfRollback(on profile: PersistenceProfile) -> ClosedRange<SQLiteDamage> {
    switch (synchronous, journal) {
    case (.off, _): .soundness ... .soundness
    // The unlink is the commit, and no sync follows: the journal may come back. When the database
    // was made shorter after that, and the names need not stay in order with the lengths, the pages
    // that were cut off are missing, for the journal does not hold them. EXTRA, which "syncs the
    // directory containing a rollback journal after that journal is unlinked", mends both.
    case (.full, .delete) where script.name == "shrinking" && profile == .posixWeak:
      .soundness ... .soundness
    case (.normal, .delete), (.full, .delete): .lastCommit ... .lastCommit
    // The truncation is not synced either, and the next journal is written over the one that it
    // took away; on a file system with an order it goes elsewhere.
    case (.normal, .truncate) where profile == .posixWeak: .soundness ... .soundness
    case (.normal, .truncate): .lastCommit ... .lastCommit
    // Header and pages of the journal are synced together, over those of older journals; a torn one
    // may fit its checksum, which reads every 200th byte. "A very small (though non-zero) chance".
    case (.normal, _): .nothing ... .soundness
    case (.full, _), (.extra, _): .nothing ... .nothing
    }
  }
}
