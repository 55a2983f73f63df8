import Chaos
import Device
import Linux
import Mount
import Phone
import Session

/// A phone of the lab, in memory or mounted.
final class HostedPlace: StoragePlace {
  private let phone: any HostedPhone
  /// Of a mounted phone, how many requests it has served.
  private let requestCount: () throws -> Int
  private var total = StorageEffort()
  /// How many operations of the device's log are part of the total.
  private var countedOperations = 0

  var name: String { phone.tier.rawValue }
  var nowMs: Int64 { phone.nowMs }

  init(_ phone: SimulatedPhone) {
    self.phone = phone
    requestCount = { 0 }
  }

  init(_ host: PhoneHost) {
    phone = host
    requestCount = {
      // Files that were closed are released behind the caller's back, before this is answered.
      _ = Files.exists("\(host.mounted.directory)/.lab/nothing")
      return host.mounted.requestCount
    }
  }

  static func setup(_ kind: PhoneKind) -> PhoneSetup {
    PhoneSetup(kind, ScenarioSettings(), seed: StorageSuite.seed)
  }

  func launch(_ kind: PhoneKind, _ store: StoreKind) throws -> any HostedApp {
    try phone.reset(Self.setup(kind))
    (total, countedOperations) = (StorageEffort(), 0)
    return try phone.start(AppLaunch(store: store.name), reaching: nil)
  }

  func advanceClock(byMs step: Int64) { _ = phone.advanceClock(byMs: step) }

  func effort() throws -> StorageEffort? {
    phone.waitUntilServiceRests()
    let trips = try requestCount()
    let log = phone.withDevice { $0.log }
    for segment in log.segments where segment.endIndex > countedOperations {
      let known = max(0, countedOperations - segment.firstIndex)
      for record in segment.records.dropFirst(known) { count(record.kind) }
    }
    countedOperations = log.endIndex
    total.trips = trips
    return total
  }

  private func count(_ kind: OperationKind) {
    switch kind {
    case .sync, .syncDirectory: total.syncs += 1
    case .create, .makeDirectory, .symbolicLink, .link, .unlink, .removeDirectory, .rename, .write,
      .truncate, .setAttributes, .allocate, .setExtendedAttribute:
      total.changes += 1
    // Words to the lab, and reads, which stand in no log.
    case .point, .lookUp, .attributes, .open, .read, .list: break
    }
  }
}
