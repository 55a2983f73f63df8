import Chaos
import Linux
import Phone
import Session
import Testing

@testable import Benchmarks

@Suite(.serialized, .timeLimit(.minutes(5))) struct `The suite for storage` {
  private func measure(mounting: Bool, _ watch: Watch = .quiet) throws -> Measurements {
    let programs = mounting ? try PhoneHost.Programs(besideExecutable: Programs.lab) : nil
    return try StorageSuite(.smoke, programs: programs).run(watch)
  }

  private func counts(_ measured: Measurements) -> [String: Double] {
    let rows = measured.sections.flatMap(\.rows).filter { $0.unit == .count }
    return Dictionary(
      uniqueKeysWithValues: rows.map { ("\($0.name): \($0.implementation)", $0.value) })
  }

  @Test(.enabled(if: Programs.canMount, "needs /dev/fuse"))
  func `measures every store and phone in memory, mounted and on the disk`() throws {
    let measured = try measure(mounting: true)
    let rows = measured.sections.flatMap(\.rows)
    #expect(
      Set(rows.map(\.name)).count
        == PhoneKind.allCases.count * StoreKind.all.count * StorageCall.allCases.count)
    for row in rows where row.unit == .nanoseconds {
      #expect(row.value > 0 && row.value.isFinite, "\(row.name) (\(row.implementation))")
    }
    let implementations = ["simulated", "mounted", "disk", "trips", "changes", "syncs"]
    for name in Set(rows.map(\.name)) {
      #expect(rows.filter { $0.name == name }.map(\.implementation) == implementations, "\(name)")
    }
    #expect(rows.flatMap(\.demands).count == PhoneKind.allCases.count)
    #expect(measured.conclusion?.contains("saving a session of 4 KiB costs the user") == true)
    #expect(measured.digest.count == 32)
    #expect(!Files.exists(StoragePlaces.scratch))
  }

  @Test(.enabled(if: Programs.canMount, "needs /dev/fuse"))
  func `counts the same in every run and every round`() throws {
    let first = try measure(mounting: true)
    let rows = first.sections.flatMap(\.rows).filter { $0.unit == .count }
    for row in rows {
      #expect(row.minimum == row.value, "\(row.name) (\(row.implementation))")
    }
    #expect(try counts(first) == counts(measure(mounting: true)))
  }

  /// The keychain of an iPhone commits without a sync.
  @Test func `counts the syncs of saves, and no change by a read`() throws {
    let counts = counts(try measure(mounting: false))
    for phone in PhoneKind.allCases {
      for store in StoreKind.all {
        let name = StorageRounds.name(.set, store, phone)
        let syncs = try #require(counts["\(name): syncs"])
        let isSynced = phone == .android || store.parts.contains(.blob)
        #expect((syncs > 0) == isSynced, "\(name)")
        let read = StorageRounds.name(.get, store, phone)
        #expect(counts["\(read): changes"] == 0, "\(read)")
      }
    }
  }

  /// More than one segment of the device's log holds.
  @Test func `counts long runs to their end`() throws {
    let work = StorageWork(phone: .android, store: .recipe)
    let place = HostedPlace(try SimulatedPhone(HostedPlace.setup(.android)))
    let (few, many) = (2, 50)
    let short = try work.play(on: place, callCount: few).figures[.set]?.effort
    let long = try work.play(on: place, callCount: many).figures[.set]?.effort
    #expect(try #require(short).syncs * many == #require(long).syncs * few)
  }

  @Test func `does without a mount, and says so`() throws {
    let measured = try measure(mounting: false)
    #expect(measured.sections.flatMap(\.rows).allSatisfy { $0.implementation != "mounted" })
    #expect(measured.sections.flatMap(\.rows).flatMap(\.demands).isEmpty)
    #expect(measured.notes.contains { $0.contains("nothing mounted") })
  }

  @Test func `stops when it is told to, and leaves nothing`() {
    let watch = Watch(shouldStop: { true }, progress: { _, _ in })
    #expect(throws: BenchmarkError.interrupted) { try measure(mounting: false, watch) }
    #expect(!Files.exists(StoragePlaces.scratch))
  }

  @Test func `knows what is mounted where`() throws {
    let table = MountTable(
      """
      22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
      31 22 0:27 / /tmp rw shared:5 - tmpfs tmpfs rw
      32 31 0:28 / /tmp rw - btrfs /dev/vdb rw
      """)
    #expect(try table.kind(at: "/tmp") == "btrfs")
    #expect(try table.kind(at: "/") == "ext4")
  }
}
