/// Turns tallies and samples into rows, with demands and advice.
struct RefreshTables {
  private typealias Rounds = RefreshRounds
  private typealias Row = Measurements.Row

  private let results: RefreshRounds.Results
  private let played: Watch.Played
  private let parameters: RefreshSuite.Parameters

  init(
    _ results: RefreshRounds.Results, _ played: Watch.Played, _ parameters: RefreshSuite.Parameters
  ) {
    self.results = results
    self.played = played
    self.parameters = parameters
  }

  func measurements(_ machine: MachineDescription) -> Measurements {
    Measurements(
      suite: RefreshSuite.name, seed: parameters.seed, digest: played.digest,
      roundCount: parameters.roundCount, machine: machine,
      sections: Rounds.Place.allCases.map(fleet) + [speed, served], notes: notes,
      noise: samples(Rounds.day).spread,
      neighbours: played.ledger[Rounds.neighbours, Rounds.lab].median,
      conclusion: RefreshAdvice(results).text)
  }

  private var notes: [String] {
    [
      "the fleet is \(parameters.deviceCount) phones for \(parameters.dayCount) days, the same "
        + "traces for each client; its figures are counts of virtual time and do not depend on this "
        + "machine. A phone whose session ended counts up to then: nobody signs in again.",
      "free is a client whose ticker is not tied to the app's state. Fresh is a token with 90 s left; "
        + "visits that ended before there was one are never fresh, and in no quantile.",
      "a stale token is the expired one that the screens still have; getSession() itself hands none "
        + "out, but waits, or has none. At a cold start without a network the hardened client shows the "
        + "expired session, the others show nobody.",
      "a collision is somebody who wants a refresh while there is one, and shares it or waits for it: "
        + "no client ever had two token requests under way.",
      habits,
      "round trips go from this thread to another one on the same processor.",
    ]
  }

  private var habits: String {
    let kind = RefreshKind(client: .hardened, isCoupled: true)
    let tally = results.tallies[.init(place: .suspended, kind: kind)] ?? FleetTally()
    let days = Double(parameters.deviceCount * parameters.dayCount)
    let visits = Double(tally.visitCount)
    let offline = Double(tally.offlineMs) / days / Double(FleetHabits.dayMs)
    return
      "a person picks the phone up \(FigureText.value(Double(tally.pickUpCount) / days, .count)) "
      + "times a day and opens this app \(FigureText.value(visits / days, .count)) times, for "
      + "\(FigureText.value(1e6 * Double(tally.frontMs) / visits, .nanoseconds)) in the mean; "
      + "\(FigureText.significant(100 * offline)) % offline; one request in "
      + "\(FleetHabits().oneFateIn) each loses its reply or meets a 429, a 500, a 503; the store "
      + "answers only while the phone is unlocked."
  }

  // MARK: - Fleet

  private func fleet(_ place: Rounds.Place) -> Measurements.Section {
    var section = Measurements.Section(title: place.title)
    section.layout = .counts
    for kind in place.kinds {
      guard let tally = results.tallies[.init(place: place, kind: kind)] else { continue }
      section.rows += rows(of: tally, by: kind.name)
    }
    return section
  }

  private func rows(of tally: FleetTally, by name: String) -> [Row] {
    let days = tally.deviceDays
    let calls = Double(tally.callCount)
    let visits = Double(tally.freshMs.count + tally.neverFreshCount)
    var fresh = Samples()
    for ms in tally.freshMs { fresh.add(Double(ms) * 1e6) }
    var rows = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1)].map {
      Row("active to fresh token, \($0.0)", name, fresh, quantile: $0.1)
    }
    let causes = SignOutCause.allCases.map { cause in
      ("sign-outs/1000 days, \(cause)", 1000 * Double(tally.signOuts[cause] ?? 0) / days)
    }
    let counts =
      [
        ("visits never fresh, %", 100 * Double(tally.neverFreshCount) / visits),
        ("calls with a stale token, %", 100 * Double(tally.staleCount) / calls),
        ("calls that wait, %", 100 * Double(tally.waitingCount) / calls),
        ("calls without a token, %", 100 * Double(tally.emptyCount) / calls),
        ("token calls per day", Double(tally.tokenCallCount) / days),
        ("offline attempts per day", Double(tally.offlineCount) / days),
        ("collisions per day", Double(tally.joinedCount) / days),
      ] + causes
    rows += counts.map { Row($0.0, name, count: $0.1) }
    return rows
  }

  // MARK: - Time of the machine

  private var speed: Measurements.Section {
    var row = Row(Rounds.speed, Rounds.lab, played.ledger[Rounds.speed, Rounds.lab])
    row.unit = .perSecond
    row.demand(atLeast: 100_000)
    return Measurements.Section(
      title: "simulation", rows: [row, Row(Rounds.day, Rounds.lab, samples(Rounds.day))])
  }

  private var served: Measurements.Section {
    let (refresh, health) = (samples(Rounds.refresh), samples(Rounds.health))
    var half = Row("\(Rounds.refresh), p50", Rounds.lab, refresh, quantile: 0.5)
    half.add("health", refresh.median / health.median)
    return Measurements.Section(
      title: "served on loopback",
      rows: [
        half, Row("\(Rounds.refresh), p99", Rounds.lab, refresh, quantile: 0.99),
        Row("\(Rounds.health), p50", Rounds.lab, health, quantile: 0.5),
        Row("\(Rounds.sleep), p50", Rounds.lab, samples(Rounds.sleep), quantile: 0.5),
        Row("\(Rounds.retry), max", Rounds.lab, samples(Rounds.retry), quantile: 1),
      ])
  }

  private func samples(_ name: String) -> Samples { played.ledger[name, Rounds.lab] }
}

extension Measurements.Row {
  /// A row for something that was counted, and has no spread.
  fileprivate init(_ name: String, _ implementation: String, count: Double) {
    self.name = name
    self.implementation = implementation
    unit = .count
    value = count
    minimum = count
    spread = .nan
  }
}
