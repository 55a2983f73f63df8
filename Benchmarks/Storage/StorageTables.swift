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
      sections: PhoneKind.allCases.map(section), notes: notes,
      noise: ledger[reference, Self.simulated].spread,
      neighbours: ledger[Rounds.neighbours, Rounds.neighbours].median,
      conclusion: StorageAdvice(ledger, places.diskKind).text)
  }

  private var notes: [String] {
    var notes = [
      "median, min and spread are those of the simulated phone. \(DiskPlace.name) is "
        + "\(Scratch.folder) on \(places.diskKind), with the same modules and the service in one "
        + "process; a mounted phone has a process for each, which is asked through pipes.",
      "\(Rounds.changes) are calls of one \(StorageCall.set.rawValue) that change what is stored, "
        + "beside its \(Rounds.syncs); the disk gets the same ones. Reads count as \(Rounds.trips), "
        + "the requests of the kernel that the mount served, announcements of points among them.",
      "the sessions are an hour apart, so that each call meets a phone on which all is durable.",
    ]
    if places.diskKind == "tmpfs" {
      notes.append("tmpfs is no disk: set TMPDIR to a folder that is on one.")
    }
    if !places.hasMount { notes.append("no /dev/fuse here: nothing mounted to measure.") }
    return notes
  }

  private func section(_ phone: PhoneKind) -> Measurements.Section {
    var section = Measurements.Section(title: "\(phone.rawValue), a session of 4 KiB")
    for call in StorageCall.allCases {
      for store in StoreKind.all { section.rows += rows(call, store, phone) }
    }
    return section
  }

  /// A row for each storage, with how much of the recipe's time it takes there, and one for each count.
  private func rows(_ call: StorageCall, _ store: StoreKind, _ phone: PhoneKind) -> [Row] {
    let name = Rounds.name(call, store, phone)
    let recipe = Rounds.name(call, .recipe, phone)
    let times = places.all.map { place in
      let samples = ledger[name, place.name]
      var row = Row(name, place.name, samples, bytes: StorageSuite.sessionBytes)
      row.add(StoreKind.recipe.name, samples.ratio(to: ledger[recipe, place.name]))
      return row
    }
    var counts = [Rounds.changes, Rounds.syncs].map { count($0, name, on: Self.simulated) }
    guard places.hasMount else { return times + counts }
    var trips = count(Rounds.trips, name, on: Self.mounted)
    trips.add(
      StoreKind.recipe.name,
      ledger[name, "\(Rounds.trips), \(Self.mounted)"]
        .ratio(to: ledger[recipe, "\(Rounds.trips), \(Self.mounted)"]))
    if call == .set, store.name == StoreKind.durable.name {
      trips.demand(StoreKind.recipe.name, atMost: 1.5)
    }
    counts.append(trips)
    return times + counts
  }

  private func count(_ what: String, _ name: String, on place: String) -> Row {
    var row = Row(name, what, ledger[name, "\(what), \(place)"])
    row.unit = .count
    return row
  }
}
