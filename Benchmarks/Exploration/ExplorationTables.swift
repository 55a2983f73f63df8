/// Turns the samples of all rounds into rows with ratios and demands.
struct ExplorationTables {
  private typealias Rounds = ExplorationRounds
  private typealias Row = Measurements.Row

  private let ledger: Ledger
  private let parameters: ExplorationSuite.Parameters
  private let hasMount: Bool

  init(_ ledger: Ledger, _ parameters: ExplorationSuite.Parameters, hasMount: Bool) {
    self.ledger = ledger
    self.parameters = parameters
    self.hasMount = hasMount
  }

  func measurements(digest: String, machine: MachineDescription) -> Measurements {
    Measurements(
      suite: ExplorationSuite.name, seed: ExplorationSuite.seed, digest: digest,
      roundCount: parameters.roundCount, machine: machine,
      sections: [states, growth, databases, saves, explorations], notes: notes,
      noise: ledger[Rounds.long, Rounds.lab].spread,
      neighbours: ledger[Rounds.neighbours, Rounds.lab].median)
  }

  private var notes: [String] {
    var notes = [
      "times are those of the measuring thread on its processor, but for the saves, which are by "
        + "the clock. A ratio is the time of the other divided by ours.",
      "heap growth is what mallinfo2 says after a walk less what it said after the first state: "
        + "memory that was freed again in between is not seen.",
      "the exponent is the slope of a line through the logarithms: 1.00 grows like the number of "
        + "saves, whose 7 changes each are all pending.",
      "behind a mount stands the same device as in the simulator, which takes most of a simulated "
        + "save to note and keep each write; so a mounted one costs that and its round trips.",
    ]
    if !hasMount { notes.append("no /dev/fuse here: nothing mounted to compare a save with.") }
    return notes
  }

  // MARK: - Sections

  private var states: Measurements.Section {
    var section = Measurements.Section(title: "crash states")
    var whole = row(Rounds.whole)
    whole.add(
      Rounds.naive, ledger[Rounds.whole, Rounds.naive].ratio(to: ledger[Rounds.whole, Rounds.lab]))
    whole.demand(Rounds.naive, atLeast: 200)
    section.rows.append(whole)
    section.rows.append(row(Rounds.whole, by: Rounds.naive))
    var long = row(Rounds.long)
    long.demand(atMost: 100)
    section.rows += [long] + [Rounds.torn, Rounds.told, Rounds.drawn].map { row($0) }
    section.rows.append(row(Rounds.rate, unit: .perSecond))
    var heap = row(Rounds.heap, unit: .count)
    heap.demand(atMost: 0)
    var images = row(Rounds.images, unit: .count)
    images.add(
      Rounds.states,
      ledger[Rounds.images, Rounds.states].ratio(to: ledger[Rounds.images, Rounds.lab]))
    images.demand(Rounds.states, atLeast: 100)
    section.rows += [heap, images]
    return section
  }

  private var growth: Measurements.Section {
    var section = Measurements.Section(title: "growth with the log")
    for (title, name) in [
      ("exponent of the preparation", Rounds.preparation),
      ("exponent of a drawn state", Rounds.step),
    ] {
      section.rows += parameters.lengths.map { row(name($0)) }
      var fit = Samples()
      fit.add(
        StateWork.exponent(
          of: parameters.lengths.map { ($0, ledger[name($0), Rounds.lab].median) }))
      var exponent = Row(title, Rounds.lab, fit)
      exponent.unit = .count
      section.rows.append(exponent)
    }
    return section
  }

  private var databases: Measurements.Section {
    var section = Measurements.Section(title: "SQLite, one state checked")
    for journal in DatabaseStates.Journal.allCases {
      let name = journal.rawValue
      var kept = row(name)
      kept.add(
        Rounds.opened, ledger[name, Rounds.opened].ratio(to: ledger[name, Rounds.lab]))
      kept.demand(Rounds.opened, atLeast: journal.demand)
      section.rows += [kept, row(name, by: Rounds.opened)]
    }
    return section
  }

  private var saves: Measurements.Section {
    var section = Measurements.Section(title: "a save, 8 KiB upsert")
    for mode in [DatabaseWork.Mode.deleteFull, .walFull] {
      let name = mode.rawValue
      var simulated = row(name, by: SaveWork.simulated)
      simulated.bytes = DatabaseWork.valueBytes
      section.rows.append(simulated)
      guard hasMount else { continue }
      let mounted = ledger[name, SaveWork.mounted]
      section.rows[section.rows.count - 1].add(
        SaveWork.mounted, mounted.ratio(to: ledger[name, SaveWork.simulated]))
      section.rows[section.rows.count - 1].demand(SaveWork.mounted, atLeast: 10)
      section.rows.append(
        Row(name, SaveWork.mounted, mounted, bytes: DatabaseWork.valueBytes))
    }
    return section
  }

  private var explorations: Measurements.Section {
    var section = Measurements.Section(title: "recipe on iOS, explored")
    section.rows.append(row(Rounds.recoveries, unit: .perSecond))
    for depth in 1...parameters.depthMax {
      let name = Rounds.depth(depth)
      section.rows.append(row(name))
      section.rows += ["origins", "images"].map { row(name, by: $0, unit: .count) }
    }
    return section
  }

  private func row(
    _ name: String, by implementation: String = Rounds.lab,
    unit: Measurements.Unit = .nanoseconds
  ) -> Measurements.Row {
    var row = Row(name, implementation, ledger[name, implementation])
    row.unit = unit
    return row
  }
}
