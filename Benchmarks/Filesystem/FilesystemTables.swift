/// Turns the samples of all rounds into rows with ratios and demands.
struct FilesystemTables {
  private typealias Rounds = FilesystemRounds
  private typealias Row = Measurements.Row

  private let ledger: Ledger
  private let implementations: [String]
  private let lab = PhoneProcess.implementation

  init(_ ledger: Ledger, _ implementations: [String]) {
    self.ledger = ledger
    self.implementations = implementations
  }

  func measurements(
    digest: String, roundCount: Int, machine: MachineDescription, notes: [String]
  ) -> Measurements {
    Measurements(
      suite: FilesystemSuite.name, seed: FilesystemSuite.seed, digest: digest,
      roundCount: roundCount, machine: machine,
      sections: [calls, databases, processes, injections], notes: Self.notes + notes,
      noise: ledger[Rounds.pipeWord, PingPong.implementation].spread,
      neighbours: ledger[Rounds.neighbours, lab].median)
  }

  private static let notes = [
    "a ratio is the speed of the other divided by ours, or ours by it: above 1.00 ours is faster. "
      + "Of trips: time of a transaction by that of its round trips, \(FileCase.write.rawValue) each.",
    "a call to the phone has two speeds, 1 us apart: after an answer the scheduler lets the caller go "
      + "on at once, or the phone fall asleep first.",
    "bound of a case: two workers and its round trips; a case of ours starts more processes.",
    "one ping-pong waits twice for another process, an injection ten times, a service's start 300.",
  ]

  // MARK: - Sections

  private var calls: Measurements.Section {
    var section = Measurements.Section(title: "file calls")
    for (name, bytes) in [(Rounds.pipeWord, 16), (Rounds.pipePage, 4096)] {
      let pipe = PingPong.implementation
      section.rows.append(Row(name, pipe, ledger[name, pipe], bytes: bytes))
    }
    for which in FileCase.allCases {
      let name = which.rawValue
      var row = Row(name, lab, ledger[name, lab], bytes: which.bytes)
      switch which {
      case .write: addBound(&row, Rounds.pipePage)
      case .sync: addBound(&row, Rounds.pipeWord)
      case .status, .read, .largeWrite, .newFile, .replacement: break
      }
      addOthers(&row)
      section.rows += [row] + others(name, bytes: which.bytes)
    }
    return section
  }

  private func addBound(_ row: inout Row, _ pipe: String) {
    row.add("pipe", ledger[pipe, PingPong.implementation].ratio(to: ledger[row.name, lab]))
    row.demand("pipe", atLeast: 0.6)
  }

  private var databases: Measurements.Section {
    var section = Measurements.Section(title: "SQLite, 8 KiB upsert")
    for mode in DatabaseWork.Mode.allCases {
      let name = mode.rawValue
      let bytes = DatabaseWork.valueBytes
      var row = Row(name, lab, ledger[name, lab], bytes: bytes)
      let trips = ledger[name, Rounds.trips]
      let floor = trips.times(ledger[FileCase.write.rawValue, lab])
      row.add("trips", ledger[name, lab].ratio(to: floor))
      row.demand("trips", atMost: 1.4)
      addOthers(&row)
      var count = Row(name, Rounds.trips, trips)
      count.unit = .count
      section.rows += [row] + others(name, bytes: bytes) + [count]
    }
    return section
  }

  private var processes: Measurements.Section {
    var section = Measurements.Section(title: "processes")
    for name in [ProcessWork.device, ProcessWork.mount, ProcessWork.worker] {
      var row = Row(name, lab, ledger[name, lab])
      if name == ProcessWork.mount { row.demand(atMost: 1e6) }
      section.rows.append(row)
    }
    var row = Row(CaseWork.name, lab, ledger[CaseWork.name, lab])
    let bound = ledger[CaseWork.name, Rounds.bound]
    row.unit = .perSecond
    row.add(Rounds.bound, ledger[CaseWork.name, lab].ratio(to: bound))
    row.demand(Rounds.bound, atLeast: 0.35)
    var count = Row(CaseWork.name, Rounds.trips, ledger[CaseWork.name, Rounds.trips])
    count.unit = .count
    section.rows += [row, count]
    return section
  }

  private var injections: Measurements.Section {
    var section = Measurements.Section(title: "injection acknowledged")
    let (once, pipe) = (Rounds.pipeOnce, PingPong.implementation)
    for (word, quantile) in [("p50", 0.5), ("p99", 0.99)] {
      section.rows.append(Row("\(once), \(word)", pipe, ledger[once, pipe], quantile: quantile))
    }
    for (name, limit) in [(InjectionWork.onDevice, 1e6), (InjectionWork.withService, 5e6)] {
      let samples = ledger[name, lab]
      section.rows.append(Row("\(name), p50", lab, samples, quantile: 0.5))
      var tail = Row("\(name), p99", lab, samples, quantile: 0.99)
      tail.demand(atMost: limit)
      section.rows.append(tail)
    }
    return section
  }

  // MARK: - The other file systems

  private func addOthers(_ row: inout Row) {
    for other in implementations.dropFirst() {
      row.add(other, ledger[row.name, other].ratio(to: ledger[row.name, lab]))
    }
  }

  private func others(_ name: String, bytes: Int) -> [Row] {
    implementations.dropFirst().map { Row(name, $0, ledger[name, $0], bytes: bytes) }
  }
}
