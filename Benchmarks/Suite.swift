import Linux

/// One family of measurements behind `lab bench NAME`.
///
/// A suite is made with named parameters, each with a real value and a smoke value, which the tests
/// run so that nothing rots. All that it draws starts from a fixed seed, and it ends with a digest of
/// the work that was done, so that two runs are known to have done the same.
package protocol Suite: Sendable {
  static var name: String { get }
  /// One sentence without its full stop.
  static var summary: String { get }

  /// Measures. Soon after `watch` says stop it ends with what the finished rounds gave.
  ///
  /// - Throws: ``BenchmarkError/interrupted`` when it was told to stop in the first round; else why the
  ///   measurement could not be made. Nothing is left mounted or running in either case.
  func run(_ watch: Watch) throws -> Measurements
}

/// All suites, in the order in which they are listed.
package enum Suites {
  package static let all: [any Suite.Type] = [
    FilesystemSuite.self, ExplorationSuite.self, CryptoSuite.self, StorageSuite.self,
    RefreshSuite.self,
  ]
}

extension Suite {
  /// Measures on the last processor, on a thread of its own, because what it starts inherits the
  /// processor that it is confined to.
  func measuring(
    _ body: @escaping @Sendable (_ machine: MachineDescription) throws -> Measurements
  ) throws -> Measurements {
    let result = Locked<Result<Measurements, any Error>?>(nil)
    let thread = try Thread("lab-bench") {
      let measured = Result {
        let processors = try Affinity.processors()
        let processor = processors.last ?? 0
        try Affinity.pin(to: processor)
        return try body(MachineDescription(pinnedTo: processor, of: processors.count))
      }
      result.withLock { $0 = measured }
    }
    thread.join()
    guard let measured = result.withLock({ $0 }) else { throw BenchmarkError.interrupted }
    return try measured.get()
  }
}

/// Why a suite gives no figures.
package enum BenchmarkError: Error, Equatable, Sendable, CustomStringConvertible {
  case interrupted
  /// The phone that was to be measured did not start or did not answer.
  case phone(String)
  /// The folder given to compare with cannot be used.
  case peer(String, reason: String)
  /// Two implementations that did the same work hold different bytes.
  case differentWork(String)
  /// An implementation refused work that the others did.
  case implementation(String, reason: String)

  package var description: String {
    switch self {
    case .interrupted: "interrupted"
    case .phone(let reason): "the phone to be measured failed: \(reason)"
    case .peer(let folder, let reason): "cannot measure against \(folder): \(reason)"
    case .differentWork(let implementation):
      "\(implementation) holds other bytes after the same work: the figures are worthless"
    case .implementation(let name, let reason): "\(name) failed: \(reason)"
    }
  }
}
