import Chaos
import Linux
import Phone
import Session

/// A kind of storage on which a phone may stand.
protocol StoragePlace: AnyObject {
  var name: String { get }

  /// The time on the phone's clock, milliseconds since 1970.
  var nowMs: Int64 { get }

  /// Makes the phone new and starts an app on it.
  func launch(_ phone: PhoneKind, _ store: StoreKind) throws -> any HostedApp

  /// Lets time pass until everything is durable anyway.
  func advanceClock(byMs step: Int64)

  /// What was asked of the storage since the phone was new; `nil` where nobody counts.
  func effort() throws -> StorageEffort?
}

/// What calls asked of the storage.
struct StorageEffort {
  /// Calls that changed something: files made, written, renamed, cut, removed.
  var changes = 0
  var syncs = 0
  /// Requests of the kernel that a mount has served, reads among them; 0 without one.
  var trips = 0

  /// Whether the same was changed, and made durable as often; caches may differ.
  func isSameWork(as other: StorageEffort) -> Bool {
    changes == other.changes && syncs == other.syncs
  }

  static func - (later: StorageEffort, earlier: StorageEffort) -> StorageEffort {
    StorageEffort(
      changes: later.changes - earlier.changes, syncs: later.syncs - earlier.syncs,
      trips: later.trips - earlier.trips)
  }

  static func + (one: StorageEffort, other: StorageEffort) -> StorageEffort {
    StorageEffort(
      changes: one.changes + other.changes, syncs: one.syncs + other.syncs,
      trips: one.trips + other.trips)
  }
}

/// Those that this machine has.
final class StoragePlaces {
  static let scratch = "\(Scratch.folder)-\(StorageSuite.name)"

  let all: [any StoragePlace]
  /// What holds the folder on this machine's disk: `ext4`.
  let diskKind: String
  let hasMount: Bool
  private let lane: Lane?

  /// - Parameter programs: Where the programs of a mounted phone are; `nil` to do without one.
  /// - Throws: Why one could not be made; nothing is left mounted then.
  init(_ programs: PhoneHost.Programs?) throws {
    let disk = try DiskPlace(in: Self.scratch)
    do {
      diskKind = try MountTable().kind(at: Self.scratch)
      let simulated = HostedPlace(try SimulatedPhone(HostedPlace.setup(.ios)))
      lane = try programs.map { try Lane(programs: $0) }
      let mounted = lane.map { HostedPlace($0.host) }
      all = [simulated] + [mounted].compactMap { $0 } + [disk]
      hasMount = mounted != nil
    } catch {
      try? Files.removeTree(Self.scratch)
      throw error
    }
  }

  func end() {
    lane?.close()
    try? Files.removeTree(Self.scratch)
  }
}
