import Crypto
import Session

/// Turns the samples of all rounds into rows with ratios and demands.
struct CryptoTables {
  private typealias Rounds = CryptoRounds
  private typealias Row = Measurements.Row

  private let ledger: Ledger
  private let implementations: Implementations
  private let parameters: CryptoSuite.Parameters
  private let kernel = Implementations.kernel
  /// What recipe does, and the hashes that `durable` needs beside it.
  private static let bound = "bound"

  /// Shorter messages are another question: what a call costs.
  private static let longBytes = 4 << 10

  init(
    _ ledger: Ledger, _ implementations: Implementations, _ parameters: CryptoSuite.Parameters
  ) {
    self.ledger = ledger
    self.implementations = implementations
    self.parameters = parameters
  }

  func measurements(digest: String, machine: MachineDescription) -> Measurements {
    Measurements(
      suite: CryptoSuite.name, seed: CryptoSuite.seed, digest: digest,
      roundCount: parameters.roundCount, machine: machine,
      sections: [processor, keptKeys, freshKeys, envelopes, texts, keys, saves], notes: notes,
      noise: ledger[Rounds.kept(Self.longBytes), reference].spread,
      neighbours: ledger[Rounds.neighbours, Rounds.lab].median,
      conclusion: CryptoAdvice(ledger, implementations).text)
  }

  /// The implementation by whose spread the machine's peace is judged.
  private var reference: String { kernel ?? OpenSSLCipher.Habit.keptContext.rawValue }

  private var notes: [String] {
    let bound =
      kernel == nil
      ? "no AES kernel of ours on this processor, so no bound and no fractions of it."
      : "fractions are of the bare AES rounds that a message needs, done in the widest registers."
    return implementations.notes + [
      "throughput is in GB/s; \(bound) A ratio is the time of the other divided by ours.",
      "hex as a text is read once more by Swift, to see that it is one: the demand is for the bytes.",
      "saves and reads are whole calls of a store: drawing a key, AES, texts, two halves in memory.",
      "with a key kept, openssl speed and the stores' go on in one message; the others set the "
        + "counter for each. A store has a key for each message, and overwrites it after it.",
      durableNote,
    ]
  }

  // MARK: - What durable can reach

  /// What the hashes of a save in `durable` take, and nothing else; see ``DigestWork``.
  private func hashes(_ bytes: Int) -> Double {
    let blockCount = DigestWork.blocksOfSave(
      textBytes: bytes, nameBytes: StoreWork.item.utf8.count)
    return Double(blockCount) * ledger[DigestWork.name, Rounds.lab].median
  }

  /// Beside the missed demand: that it cannot be met with this format, and what another would bring.
  private var durableNote: String {
    let bytes = Self.longBytes
    func time(_ name: String, _ implementation: String = Rounds.lab) -> Double {
      ledger[name, implementation].median
    }
    func envelope(_ work: EnvelopeWork.Work) -> Double {
      time(Rounds.envelope(bytes), work.rawValue)
    }
    let recipe = time(Rounds.store(.recipe, .set, bytes))
    let durable = time(Rounds.store(.durable, .set, bytes))
    let kept = OpenSSLCipher.Habit.keptContext.rawValue
    let bare = recipe / (hashes(bytes) + time(Rounds.kept(bytes), kept))
    let galois = durable - envelope(.durableSeal) + envelope(.gcmSeal)
    let blockCount = DigestWork.blocksOfSave(
      textBytes: bytes, nameBytes: StoreWork.item.utf8.count)
    return "for 4 KiB a save in durable hashes \(blockCount) blocks, "
      + "\(FigureText.value(hashes(bytes), .nanoseconds)) that recipe does not spend. With nothing "
      + "but these and AES, no salt drawn and no text made, it would be at "
      + "\(FigureText.ratio(bare)) of recipe; with all that recipe does and these, at "
      + "\(FigureText.ratio(recipe / (recipe + hashes(bytes)))), which is its bound: 0.60 is out of "
      + "reach of HMAC-SHA256. AES-GCM instead of HKDF, CTR and HMAC, another "
      + "format, would bring it to \(FigureText.ratio(recipe / galois))."
  }

  // MARK: - AES

  private var processor: Measurements.Section {
    var section = Measurements.Section(title: "this processor")
    for name in [Rounds.cycles] + AESKernel.widths.map(Rounds.roundsPerCycle) {
      section.rows.append(row(name, unit: .count))
    }
    return section
  }

  private var keptKeys: Measurements.Section {
    var section = Measurements.Section(
      title: "AES-256-CTR, key kept", layout: .sizes(of: Rounds.roofline))
    for bytes in parameters.sizes {
      let name = Rounds.kept(bytes)
      section.rows += rows(name, bytes, others: [SpeedTool.name]) { row in
        guard bytes >= Self.longBytes else { return }
        if row.implementation == StoreCipher.name {
          compare(&row, with: SpeedTool.name, atLeast: 0.95)
        }
        guard row.implementation == kernel else { return }
        compare(&row, with: OpenSSLCipher.Habit.keptContext.rawValue, atLeast: 1.7)
        compare(&row, with: LibgcryptCipher.name, atLeast: 1)
        row.demand(Rounds.roofline, atLeast: 0.85)
      }
    }
    return section
  }

  private var freshKeys: Measurements.Section {
    var section = Measurements.Section(
      title: "AES-256-CTR, new keys", layout: .sizes(of: Rounds.roofline))
    for bytes in parameters.sizes {
      section.rows += rows(Rounds.fresh(bytes), bytes) { row in
        if row.implementation == kernel, bytes == Self.longBytes {
          compare(&row, with: OpenSSLCipher.Habit.keptContext.rawValue, atLeast: 1.8)
          compare(&row, with: OpenSSLCipher.Habit.fetchedAnew.rawValue, atLeast: 2.8)
          compare(&row, with: ScriptPeer.node, atLeast: 12)
        }
        guard row.implementation == StoreCipher.name, bytes >= Self.longBytes else { return }
        let speed = ledger[Rounds.kept(bytes), SpeedTool.name]
        guard !speed.values.isEmpty else { return }
        row.add(SpeedTool.name, speed.ratio(to: ledger[row.name, row.implementation]))
      }
    }
    return section
  }

  /// A row for each implementation that has done this, with its fraction of the bound.
  private func rows(
    _ name: String, _ bytes: Int, others: [String] = [], _ finish: (inout Row) -> Void
  ) -> [Row] {
    let names = implementations.ciphers.map(\.name) + implementations.scripts.map(\.name) + others
    return names.compactMap { implementation in
      let samples = ledger[name, implementation]
      guard !samples.values.isEmpty else { return nil }
      var row = Row(name, implementation, samples, bytes: bytes)
      let bound = ledger[name, Rounds.roofline]
      if !bound.values.isEmpty { row.add(Rounds.roofline, bound.ratio(to: samples)) }
      finish(&row)
      return row
    }
  }

  private func compare(_ row: inout Row, with other: String, atLeast limit: Double) {
    let theirs = ledger[row.name, other]
    guard !theirs.values.isEmpty else { return }
    row.add(other, theirs.ratio(to: ledger[row.name, row.implementation]))
    row.demand(other, atLeast: limit)
  }

  // MARK: - What is made of it

  private var envelopes: Measurements.Section {
    var section = Measurements.Section(
      title: "authenticated", layout: .sizes(of: Rounds.roofline))
    for bytes in parameters.sessionSizes {
      section.rows += EnvelopeWork.Work.allCases.map { work in
        let samples = ledger[Rounds.envelope(bytes), work.rawValue]
        return Row(Rounds.envelope(bytes), work.rawValue, samples, bytes: bytes)
      }
    }
    return section
  }

  private var texts: Measurements.Section {
    var section = Measurements.Section(title: "hexadecimal")
    let copy = ledger[HexadecimalWork.Work.copy.rawValue, Rounds.lab]
    for work in HexadecimalWork.Work.allCases {
      var row = row(work.rawValue)
      switch work {
      case .copy: break
      case .encode, .encodeText, .decode:
        row.add(Rounds.memcpy, copy.ratio(to: ledger[row.name, Rounds.lab]))
        // Making a text reads it all once more, to see that it is one.
        if work == .encode { row.demand(Rounds.memcpy, atLeast: 0.5) }
        if work == .decode { row.demand(Rounds.memcpy, atLeast: 0.3) }
      }
      section.rows.append(row)
    }
    return section
  }

  private var keys: Measurements.Section {
    var section = Measurements.Section(title: "a key of 32 bytes")
    let call = ledger[RandomSources.systemCall, Rounds.lab]
    for source in RandomSources.names where !ledger[source, Rounds.lab].values.isEmpty {
      var row = row(source)
      row.add("the system call", call.ratio(to: ledger[source, Rounds.lab]))
      section.rows.append(row)
    }
    return section
  }

  private var saves: Measurements.Section {
    var section = Measurements.Section(title: "saves and reads in memory")
    for bytes in parameters.sessionSizes {
      for call in StoreWork.Call.allCases {
        section.rows += StoreKind.all.flatMap { rows(of: $0, call, bytes) }
      }
    }
    return section
  }

  private func rows(of kind: StoreKind, _ call: StoreWork.Call, _ bytes: Int) -> [Row] {
    let name = Rounds.store(kind, call, bytes)
    let recipe = Rounds.store(.recipe, call, bytes)
    var row = row(name)
    row.bytes = bytes
    guard name != recipe else {
      let node = ledger[name, ScriptPeer.node]
      guard !node.values.isEmpty else { return [row] }
      row.add(ScriptPeer.node, node.ratio(to: ledger[name, Rounds.lab]))
      if bytes == Self.longBytes { row.demand(ScriptPeer.node, atLeast: 4) }
      return [row, Row(name, ScriptPeer.node, node, bytes: bytes)]
    }
    row.add(StoreKind.recipe.name, ledger[recipe, Rounds.lab].ratio(to: ledger[name, Rounds.lab]))
    if name == Rounds.store(.durable, .set, Self.longBytes) {
      row.demand(StoreKind.recipe.name, atLeast: 0.6)
      let own = ledger[name, Rounds.lab].median
      row.add(Self.bound, (ledger[recipe, Rounds.lab].median + hashes(bytes)) / own)
      row.demand(Self.bound, atLeast: 0.9)
    }
    return [row]
  }

  private func row(_ name: String, unit: Measurements.Unit = .nanoseconds) -> Row {
    var row = Row(name, Rounds.lab, ledger[name, Rounds.lab])
    row.unit = unit
    return row
  }
}
