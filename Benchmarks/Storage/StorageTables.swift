import Chaos
import Phone
import Session

/// Turns the samples of all rounds into rows with ratios and demands.
struct StorageTables {
  private typealias Rounds = StorageRounds
  private typealias Row = Measurements.Row

  private static let simulated = Tier.simulated.rawValue
  private static let mounted = Tier.mounted.rawValue

  private let ledger: Ledger
  private let places: StoragePlaces

  init(_ ledger: Ledger, _ places: StoragePlaces) {
    self.ledger = ledger
    self.places = places
  }

  func measurements(
    digest: String, roundCount: Int, machine: MachineDescription
  ) -> Measurements {
    let reference = Rounds.name(.set, .recipe, .ios)
    return Measurements(
      suite: StorageSuite.name, seed: StorageSuite.seed, digest: digest,
      roundCount: roundCount, machine: machine,
      sections: PhoneKind.allCases.flatMap { [times($0), counts($0)] }, notes: notes,
      noise: ledger[reference, Self.simulated].spread,
      neighbours: ledger[Rounds.neighbours, Rounds.neighbours].median,
      conclusion: StorageAdvice(ledger, places.diskKind).text)
  }

  private var notes: [String] {
    var notes = [
      "\(DiskPlace.name) is \(StoragePlaces.scratch) on \(places.diskKind), with the same modules and "
        + "the service in one process, as on a \(Self.simulated) phone; a \(Self.mounted) one has a "
        + "process for each, and they are asked through pipes and sockets.",
      "counts are those of one call: \(Rounds.changes) are system calls that change what is stored, "
        + "\(Rounds.syncs) come on top, and \(Rounds.trips) are the requests of the kernel that the "
        + "mount served, reads and announcements of points among them.",
      "calls are an hour apart, so that each meets a phone on which all is durable. "
        + "\(StorageCall.set.rawValue) goes over an earlier session. What syncs "
        + "nothing, a power cut may still take back.",
    ]
    if places.diskKind == "tmpfs" {
      notes.append("tmpfs is no disk: set TMPDIR to a folder that is on one.")
    }
    if !places.hasMount { notes.append("no /dev/fuse here: nothing mounted to measure.") }
    return notes
  }

  // MARK: - Sections

  /// What calls take, on each storage.
  private func times(_ phone: PhoneKind) -> Measurements.Section {
    section("\(phone.rawValue), 4 KiB, \(Self.simulated)", phone) { name, recipe, _ in
      places.all.map { place in
        let samples = ledger[name, place.name]
        var row = Row(name, place.name, samples, bytes: StorageSuite.sessionBytes)
        row.add(StoreKind.recipe.name, samples.ratio(to: ledger[recipe, place.name]))
        return row
      }
    }
  }

  /// What calls ask for. A read of an app that has just saved may ask for nothing.
  private func counts(_ phone: PhoneKind) -> Measurements.Section {
    let asked = [Rounds.changes, Rounds.syncs].map { (what: $0, place: Self.simulated) }
    let trips = places.hasMount ? [(what: Rounds.trips, place: Self.mounted)] : []
    let columns = trips + asked
    return section("\(phone.rawValue), \(columns[0].what)", phone) { name, recipe, isDemanded in
      columns.map { column in
        let key = Rounds.key(column.what, column.place)
        var row = Row(name, column.what, ledger[name, key])
        row.unit = .count
        if ledger[recipe, key].minimum > 0 {
          row.add(StoreKind.recipe.name, ledger[name, key].ratio(to: ledger[recipe, key]))
        }
        if isDemanded, column.what == Rounds.trips {
          row.demand(StoreKind.recipe.name, atMost: 1.5)
        }
        return row
      }
    }
  }

  private func section(
    _ title: String, _ phone: PhoneKind,
    _ rows: (_ name: String, _ recipe: String, _ isDemanded: Bool) -> [Row]
  ) -> Measurements.Section {
    var section = Measurements.Section(title: title)
    for call in StorageCall.allCases {
      let recipe = Rounds.name(call, .recipe, phone)
      for store in StoreKind.all {
        let isDemanded = call == .set && store.name == StoreKind.durable.name
        section.rows += rows(Rounds.name(call, store, phone), recipe, isDemanded)
      }
    }
    return section
  }
}
