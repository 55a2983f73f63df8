import Linux
import Phone
import Session

/// Goes through all stores, phones and kinds of storage, round by round.
struct StorageRounds: Rounds {
  /// Names in the ledger of what is no time. Of the counts, each is that of one call.
  static let neighbours = "neighbours"
  static let changes = "changes"
  static let syncs = "syncs"
  static let trips = "trips"

  /// Whose a count is in the ledger.
  static func key(_ count: String, _ place: String) -> String { "\(count), \(place)" }

  static func name(_ call: StorageCall, _ store: StoreKind, _ phone: PhoneKind) -> String {
    "\(call.rawValue) \(store.name), \(phone.rawValue)"
  }

  private(set) var ledger = Ledger()
  /// Of what every store on every storage gave back.
  private(set) var digest = ""
  private let places: [any StoragePlace]
  private let callCount: Int

  init(_ places: [any StoragePlace], callCount: Int) {
    self.places = places
    self.callCount = callCount
  }

  /// - Throws: ``BenchmarkError/differentWork(_:)``, too, when a storage was asked for other changes
  ///   than another.
  mutating func play(_ watch: Watch) throws {
    ledger.add(
      Double(try MachineDescription.neighbourCount()), Self.neighbours, Self.neighbours)
    for phone in PhoneKind.allCases {
      for store in StoreKind.all {
        let work = StorageWork(phone: phone, store: store)
        var first: [StorageCall: StorageEffort] = [:]
        for place in places {
          try watch.check()
          let played = try work.play(on: place, callCount: callCount)
          try note(played, work, place)
          for (call, effort) in played.figures.compactMapValues(\.effort) {
            guard effort.isSameWork(as: first[call] ?? effort) else {
              throw BenchmarkError.differentWork("\(Self.name(call, store, phone)), \(place.name),")
            }
            first[call] = effort
          }
        }
      }
    }
  }

  private mutating func note(
    _ played: (figures: [StorageCall: StorageWork.Figures], digest: String),
    _ work: StorageWork, _ place: any StoragePlace
  ) throws {
    if digest.isEmpty { digest = played.digest }
    guard played.digest == digest else { throw BenchmarkError.differentWork(place.name) }
    for (call, figures) in played.figures {
      let name = Self.name(call, work.store, work.phone)
      ledger.add(figures.times.median, name, place.name)
      guard let effort = figures.effort else { continue }
      for (count, word) in [
        (effort.changes, Self.changes), (effort.syncs, Self.syncs), (effort.trips, Self.trips),
      ] {
        ledger.add(Double(count) / Double(callCount), name, Self.key(word, place.name))
      }
    }
  }
}
