import Crypto
import Linux
import Session

/// Goes through all cases, round by round, and notes what each took.
struct CryptoRounds: Rounds {
  static let lab = "lab"
  static let neighbours = "neighbours"
  /// The time that nothing but the AES rounds of a message takes.
  static let roofline = "roofline"
  static let cycles = "cycles in a nanosecond"
  static let memcpy = "memcpy"

  static func kept(_ bytes: Int) -> String { "key kept, \(FigureText.size(bytes))" }
  static func fresh(_ bytes: Int) -> String { "key for each, \(FigureText.size(bytes))" }
  static func envelope(_ bytes: Int) -> String { "envelope, \(FigureText.size(bytes))" }
  static func roundsPerCycle(_ width: AESKernel.Width) -> String {
    "AES rounds in a cycle, \(width == .wide ? "VAES" : "AES-NI")"
  }
  static func store(_ kind: StoreKind, _ call: StoreWork.Call, _ bytes: Int) -> String {
    "\(call.rawValue) of \(kind.name), \(FigureText.size(bytes))"
  }

  private(set) var ledger = Ledger()
  private let implementations: Implementations
  private let parameters: CryptoSuite.Parameters
  private let envelopes: [EnvelopeWork]
  private let hexadecimal: HexadecimalWork
  private let random = RandomSources()
  private let stores: [StoreWork]
  private let key = [UInt8](repeating: 7, count: 32)
  private let counter = AESCounterMode.counterBlock(1)

  init(_ implementations: Implementations, _ parameters: CryptoSuite.Parameters) throws {
    self.implementations = implementations
    self.parameters = parameters
    envelopes = try parameters.sessionSizes.map { try EnvelopeWork(bytes: $0) }
    hexadecimal = try HexadecimalWork()
    stores = try parameters.sessionSizes.flatMap { bytes in
      try StoreKind.all.map { try StoreWork($0, bytes: bytes) }
    }
  }

  mutating func play(_ watch: Watch) throws {
    ledger.add(Double(try MachineDescription.neighbourCount()), Self.neighbours, Self.lab)
    for bytes in parameters.sizes {
      try watch.check()
      try playCiphers(bytes)
    }
    for bytes in parameters.speedSizes {
      try watch.check()
      if let ns = try SpeedTool.measure(bytes: bytes) {
        ledger.add(ns, Self.kept(bytes), SpeedTool.name)
      }
    }
    try watch.check()
    try playEnvelopes()
    try playDigest()
    for work in HexadecimalWork.Work.allCases {
      let ns = try best(parameters.callCount) { count in
        for _ in 0..<count { try hexadecimal.perform(work) }
      }
      ledger.add(ns, work.rawValue, Self.lab)
    }
    for source in random.sources {
      let ns = best(parameters.callCount) { source.draw($0) }
      ledger.add(ns, source.name, Self.lab)
    }
    try watch.check()
    try playStores()
  }

  /// Nanoseconds of one piece of work in the best of some batches.
  private func best<Failure: Error>(
    _ count: Int, _ work: (_ count: Int) throws(Failure) -> Void
  ) throws(Failure) -> Double {
    var best = Double.infinity
    for _ in 0..<parameters.batchCount {
      let start = Clocks.monotonicNs
      try work(count)
      best = min(best, Double(Clocks.monotonicNs - start) / Double(count))
    }
    return best
  }

  // MARK: - Ciphers

  private mutating func playCiphers(_ bytes: Int) throws {
    let count = max(parameters.batchBytes / max(bytes, 256), 2)
    var message = [UInt8](repeating: 0x61, count: bytes)
    playRoofline(bytes)
    for cipher in implementations.ciphers {
      if cipher.keepsKey {
        try cipher.setKey(key)
        let ns = try best(count) { (count) throws(BenchmarkError) in
          try cipher.keepKey(count, &message, counter: counter)
        }
        ledger.add(ns, Self.kept(bytes), cipher.name)
      }
      let ns = try best(count) { (count) throws(BenchmarkError) in
        try cipher.changeKey(count, &message, key: key, counter: counter)
      }
      ledger.add(ns, Self.fresh(bytes), cipher.name)
    }
    for script in implementations.scripts where bytes <= script.bytesMax {
      ledger.add(
        try script.measure("kept", bytes: bytes), Self.kept(bytes), script.name)
      ledger.add(
        try script.measure("fresh", bytes: bytes), Self.fresh(bytes), script.name)
    }
  }

  /// AES-256 has 14 rounds, and a block 16 bytes.
  private mutating func playRoofline(_ bytes: Int) {
    let repetitions = max(parameters.batchBytes / 64, 1)
    let cycle =
      best(repetitions) { _ = AESKernel.cycles(repetitions: $0) }
      / Double(AESKernel.cycles(repetitions: 1))
    ledger.add(1 / cycle, Self.cycles, Self.lab)
    for width in AESKernel.widths {
      let ns = best(repetitions) { _ = AESKernel.rounds(width, repetitions: $0) }
      let round = ns / Double(AESKernel.rounds(width, repetitions: 1))
      ledger.add(cycle / round, Self.roundsPerCycle(width), Self.lab)
      guard width == AESKernel.widths.last else { continue }
      for name in [Self.kept(bytes), Self.fresh(bytes)] {
        ledger.add(round * 14 * Double(bytes) / 16, name, Self.roofline)
      }
    }
  }

  // MARK: - What is made of them

  private mutating func playEnvelopes() throws {
    for envelope in envelopes {
      for work in EnvelopeWork.Work.allCases {
        let ns = try best(parameters.callCount) { (count) throws(CryptoError) in
          for _ in 0..<count { try envelope.perform(work) }
        }
        ledger.add(ns, Self.envelope(envelope.bytes), work.rawValue)
      }
    }
  }

  private mutating func playDigest() throws {
    var blockCount = 0
    let ns = try best(1) { (_) throws(CryptoError) in
      blockCount = try DigestWork.perform(blockCount: parameters.batchBytes / 64)
    }
    ledger.add(ns / Double(blockCount), DigestWork.name, Self.lab)
  }

  private mutating func playStores() throws {
    for store in stores {
      for call in StoreWork.Call.allCases {
        let ns = try store.measure(
          call, callCount: parameters.callCount, batchCount: parameters.batchCount)
        ledger.add(ns, Self.store(store.kind, call, store.bytes), Self.lab)
      }
    }
    guard let node = implementations.scripts.first(where: { $0.name == ScriptPeer.node }) else {
      return
    }
    for bytes in parameters.sessionSizes {
      for (call, work) in [(StoreWork.Call.set, "set"), (.get, "get")] {
        ledger.add(
          try node.measure(work, bytes: bytes), Self.store(.recipe, call, bytes), node.name)
      }
    }
  }
}
