import Phone

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
      "an exponent is the slope of a line through the logarithms: 1.00 grows like what it is over. "
        + "Of saves 7 changes each are pending; writers are explored with "
        + "\(parameters.writerCutCountMax) choices at each moment.",
      "a state is a crash at one operation with one choice of what survives it; it is made, started on "
        + "and judged, or is like one that was. A recovery is two cold starts on an image, errors that "
        + "the phone can give among its causes.",
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
      ("preparation", Rounds.preparation), ("a drawn state", Rounds.step),
    ] {
      section.rows += parameters.lengths.map { row(name($0)) }
      add(title, over: "saves", parameters.lengths, name, to: &section)
    }
    return section
  }

  /// A curve, with its exponent in a row.
  private func add(
    _ title: String, over: String, _ sizes: [Int], _ name: (Int) -> String,
    to section: inout Measurements.Section
  ) {
    let curve = Measurements.Curve(
      name: title, over: over, unit: .nanoseconds,
      points: sizes.map { .init(size: Double($0), value: ledger[name($0), Rounds.lab].median) })
    section.curves.append(curve)
    // One point alone grows with nothing.
    guard sizes.count > 1 else { return }
    var fit = Samples()
    fit.add(curve.fit.exponent)
    var exponent = Row("exponent of \(title), over \(over)", Rounds.lab, fit)
    exponent.unit = .count
    section.rows.append(exponent)
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
    var section = Measurements.Section(title: "explored; recipe on iOS where nothing else is said")
    for phone in PhoneKind.allCases {
      for store in Rounds.stores {
        var rate = row(Rounds.crashes(store, phone), unit: .perSecond)
        rate.demand(atLeast: 50_000)
        section.rows.append(rate)
      }
    }
    section.rows.append(row(Rounds.recoveries, unit: .perSecond))
    let depths = Array(1...parameters.depthMax)
    let writers = Array(1...parameters.writerMax)
    for name in depths.map(Rounds.depth) + writers.map(Rounds.writers) {
      section.rows.append(row(name))
      section.rows += ["origins", "images"].map { row(name, by: $0, unit: .count) }
    }
    add("exploration", over: "cuts in a row", depths, Rounds.depth, to: &section)
    add("exploration", over: "writers", writers, Rounds.writers, to: &section)
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
