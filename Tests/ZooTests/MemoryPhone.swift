import Ports
import Session
import Zoo

/// Both halves as memory, what was called, and a refusal of the key half.
final class MemoryPhone: TracePoint {
  final class Half: SecureStorage, PlainStorage {
    fileprivate(set) var items: [String: String] = [:]
    var refusal: NativeError?
    let note: (String) -> Void

    init(_ note: @escaping (String) -> Void) { self.note = note }

    func item(_ name: String) async throws(NativeError) -> String? {
      try called("read")
      return items[name]
    }

    func setItem(_ name: String, to value: String) async throws(NativeError) {
      try called("write")
      items[name] = value
    }

    func removeItem(_ name: String) async throws(NativeError) {
      note("remove")
      items[name] = nil
    }

    private func called(_ call: String) throws(NativeError) {
      note(call)
      if let refusal { throw refusal }
    }
  }

  static let item = "session"

  private(set) var calls: [String] = []
  private(set) var crashes: [String] = []
  private(set) lazy var key = Half { [unowned self] in calls.append("\($0) key") }
  private(set) lazy var blob = Half { [unowned self] in calls.append("\($0) blob") }

  func reach(_ point: LogicalPoint) {}

  /// As each launch of the app makes one.
  func store(_ twin: Twin) throws -> any SessionStore {
    var ports = StorePorts(
      secure: key, plain: blob, entropy: SeededEntropy(seed: UInt64(calls.count), stream: "zoo"),
      console: SilentConsole(), trace: self)
    ports.crash = { [unowned self] in crashes.append($0) }
    return try twin.kind.make(ports, StoreSettings(sizeRule: .enforce))
  }

  /// The calls of a kind since the last time, in order.
  func takeCalls(_ word: String) -> [String] {
    defer { calls = [] }
    return calls.filter { $0.hasPrefix(word) }
  }

  /// A key of another save: what a torn one leaves.
  func tear() {
    key.items[Self.item] = String(repeating: "5a", count: 32)
  }
}
