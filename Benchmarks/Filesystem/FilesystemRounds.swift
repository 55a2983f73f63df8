import Chaos
import Linux

/// Goes through all cases, round by round, and notes what each took.
struct FilesystemRounds: Rounds {
  /// Names in the ledger of what is no probe.
  static let pipeWord = "pipe ping-pong, 16 B"
  static let pipePage = "pipe ping-pong, 4 KiB"
  /// One at a time, between injections: what the machine adds to each wait of theirs.
  static let pipeOnce = "one pipe ping-pong"
  static let bound = "bound"
  static let neighbours = "neighbours"
  static let trips = "round trips"

  private(set) var ledger = Ledger()
  private let bench: Workbench
  private let parameters: FilesystemSuite.Parameters
  private let pipes: [Probe]
  /// Of each case, one for each file system.
  private let files: [[Probe]]
  private let databases: [[Probe]]
  private let mountCycle: Probe
  private let workerCycle: Probe
  private let deviceCycle: Probe
  private let injections: [InjectionWork]

  init(_ bench: Workbench, _ parameters: FilesystemSuite.Parameters) throws {
    let share = parameters.share
    self.bench = bench
    self.parameters = parameters
    pipes = [
      bench.pingPong.probe(Self.pipeWord, bytes: 16, share),
      bench.pingPong.probe(Self.pipePage, bytes: 4096, share),
    ]
    files = FileCase.allCases.map { which in bench.places.map { $0.files.probe(which, share) } }
    databases = DatabaseWork.Mode.allCases.indices.map { mode in
      bench.places.map { $0.databases[mode].probe(share) }
    }
    mountCycle = ProcessWork.mountCycle(in: bench.scratch, share)
    workerCycle = ProcessWork.workerCycle(bench.programs, in: bench.scratch, share)
    deviceCycle = try ProcessWork.deviceCycle(share)
    let flipped = "\(bench.places[0].folder)/flipped"
    try Files.write(flipped, [UInt8](repeating: 0, count: 4096))
    injections = [
      .onDevice(bench.phone, path: String(flipped.dropFirst(bench.phone.folder.count))),
      .withService(bench.phone),
    ]
  }

  mutating func play(_ watch: Watch) throws {
    ledger.add(
      Double(try MachineDescription.neighbourCount()), Self.neighbours,
      PhoneProcess.implementation)
    for probe in pipes + files.flatMap({ $0 }) { try measure(probe, watch) }
    for probes in databases {
      for probe in probes {
        let before = try bench.phone.requestCount()
        let calls = try measure(probe, watch)
        guard probe.implementation == PhoneProcess.implementation else { continue }
        let count = try bench.phone.requestCount() - before
        ledger.add(Double(count) / Double(calls), probe.name, Self.trips)
      }
    }
    for probe in [deviceCycle, mountCycle, workerCycle] { try measure(probe, watch) }
    try playCase(watch)
    for injection in injections {
      for _ in 0..<parameters.injectionCount {
        try watch.check()
        ledger.add(try bench.pingPong.wakeUp(), Self.pipeOnce, PingPong.implementation)
        ledger.add(try injection.inject(), injection.name, PhoneProcess.implementation)
      }
    }
  }

  /// - Returns: How many calls were made.
  @discardableResult
  private mutating func measure(_ probe: Probe, _ watch: Watch) throws -> Int {
    try watch.check()
    let ns = try probe.measure(batchCount: parameters.batchCount)
    ledger.add(ns, probe.name, probe.implementation)
    return probe.callCount * parameters.batchCount
  }

  /// The bound is two workers, one that is killed and one that looks, and the calls of the case.
  private mutating func playCase(_ watch: Watch) throws {
    try watch.check()
    let played = try bench.cases.play()
    let lab = PhoneProcess.implementation
    let worker = ledger[workerCycle.name, lab].last
    let trip = ledger[FileCase.write.rawValue, lab].last
    ledger.add(1e9 / played.ns, CaseWork.name, lab)
    ledger.add(Double(played.requestCount), CaseWork.name, Self.trips)
    ledger.add(
      1e9 / (2 * worker + Double(played.requestCount) * trip), CaseWork.name, Self.bound)
  }
}
