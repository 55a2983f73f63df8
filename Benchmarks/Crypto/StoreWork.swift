import Linux
import Machine
import Ports
import Session
import Simulation

/// Whole calls of a store over two halves in memory: what a save costs before it reaches storage.
final class StoreWork {
  enum Call: String, CaseIterable {
    case set = "setItem"
    case get = "getItem"
  }

  let kind: StoreKind
  let bytes: Int
  private let store: any SessionStore
  private let text: JavaScriptString
  static let item = "sb-demo-auth-token"

  init(_ kind: StoreKind, bytes: Int) throws {
    self.kind = kind
    self.bytes = bytes
    text = JavaScriptString(String(repeating: "x", count: bytes))
    store = try kind.make(
      StorePorts(
        secure: MemoryHalf(), plain: MemoryHalf(), entropy: SystemEntropy(),
        console: SilentConsole(), trace: UnseenPoints()))
  }

  /// Nanoseconds of one call in the best batch, after a save, a read and another save.
  ///
  /// - Throws: What the store threw; ``BenchmarkError/differentWork(_:)`` when it does not give back
  ///   what was saved.
  func measure(_ call: Call, callCount: Int, batchCount: Int) throws -> Double {
    var result: Result<Double, any Error>?
    let simulator = Simulator(Choices(RandomChoices(seed: CryptoSuite.seed)))
    simulator.launch(kind.name) { [self] _ in
      do {
        result = .success(try await batches(call, callCount, batchCount))
      } catch {
        result = .failure(error)
      }
    }
    let outcome = simulator.run()
    guard let result else {
      throw BenchmarkError.implementation(kind.name, reason: outcome.description)
    }
    return try result.get()
  }

  private func batches(_ call: Call, _ callCount: Int, _ batchCount: Int) async throws -> Double {
    try await store.setItem(Self.item, to: text)
    guard try await store.item(Self.item) == text else {
      throw BenchmarkError.differentWork(kind.name)
    }
    try await store.setItem(Self.item, to: text)
    var best = Double.infinity
    for _ in 0..<batchCount {
      let start = Clocks.monotonicNs
      for _ in 0..<callCount {
        switch call {
        case .set: try await store.setItem(Self.item, to: text)
        case .get: _ = try await store.item(Self.item)
        }
      }
      best = min(best, Double(Clocks.monotonicNs - start) / Double(callCount))
    }
    return best
  }
}

/// One half as memory, which answers at once.
private final class MemoryHalf: SecureStorage, PlainStorage {
  private var items: [String: String] = [:]

  func item(_ name: String) async throws(NativeError) -> String? { items[name] }
  func setItem(_ name: String, to value: String) async throws(NativeError) { items[name] = value }
  func removeItem(_ name: String) async throws(NativeError) { items[name] = nil }
}

private final class UnseenPoints: TracePoint {
  func reach(_ point: LogicalPoint) {}
}
