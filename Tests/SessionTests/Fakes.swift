import Crypto
import Ports
import Session

/// Everything that happened to the fakes of one test, in order.
final class Journal {
  var lines: [String] = []

  func note(_ line: String) { lines.append(line) }

  /// The lines whose first word is one of these.
  func only(_ words: String...) -> [String] {
    lines.filter { line in words.contains { line.hasPrefix($0) } }
  }
}

/// One half, as memory. A fault is looked up by the name of the call before it takes effect.
final class FakeHalf: SecureStorage, PlainStorage {
  let name: String
  let journal: Journal
  var items: [String: String] = [:]
  var faults: [String: NativeError] = [:]

  init(_ name: String, _ journal: Journal) {
    self.name = name
    self.journal = journal
  }

  func item(_ name: String) async throws(NativeError) -> String? {
    try called("get", name)
    return items[name]
  }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    try called("set", name)
    items[name] = value
  }

  func removeItem(_ name: String) async throws(NativeError) {
    try called("remove", name)
    items[name] = nil
  }

  private func called(_ call: String, _ item: String) throws(NativeError) {
    journal.note("\(name).\(call) \(item)")
    if let fault = faults[call] { throw fault }
  }
}

/// Draws that differ each time, and a note of how many bytes were asked for.
final class FakeEntropy: Entropy {
  let journal: Journal
  private var count: UInt8 = 0

  init(_ journal: Journal) { self.journal = journal }

  func bytes(_ count: Int) -> [UInt8] {
    journal.note("entropy \(count)")
    self.count += 1
    return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ self.count }
  }
}

final class FakeConsole: Console {
  var warnings: [String] = []
  let journal: Journal

  init(_ journal: Journal) { self.journal = journal }

  func warn(_ text: String) {
    warnings.append(text)
    journal.note("warn")
  }

  func error(_ text: String) { journal.note("error") }
}

final class FakeTrace: TracePoint {
  let journal: Journal

  init(_ journal: Journal) { self.journal = journal }

  func reach(_ point: LogicalPoint) { journal.note("point \(point.rawValue)") }
}

final class FakeClock: WallClock {
  var nowMs: Int64 = 1_790_000_000_000
}

final class FakeSink: AcknowledgementSink {
  var lines: [String] = []
  var failure: AcknowledgementFailure?
  let journal: Journal

  init(_ journal: Journal) { self.journal = journal }

  func append(_ line: String) throws(AcknowledgementFailure) {
    if let failure { throw failure }
    lines.append(line)
    journal.note(line.contains("\"began\"") ? "log began" : "log ended")
  }

  var text: String { lines.map { "\($0)\n" }.joined() }
}

/// The phone of one test: both halves stay when the app is launched again.
final class Bench {
  let journal = Journal()
  let key: FakeHalf
  let blob: FakeHalf
  let entropy: FakeEntropy
  let console: FakeConsole
  let clock = FakeClock()
  let sink: FakeSink
  static let item = "sb-demo-auth-token"

  init() {
    key = FakeHalf("key", journal)
    blob = FakeHalf("blob", journal)
    entropy = FakeEntropy(journal)
    console = FakeConsole(journal)
    sink = FakeSink(journal)
  }

  var ports: StorePorts {
    StorePorts(
      secure: key, plain: blob, entropy: entropy, console: console, trace: FakeTrace(journal))
  }

  func store(
    _ kind: StoreKind, _ rule: SizeRule = .warn
  ) throws -> any SessionStore {
    try kind.make(ports, StoreSettings(sizeRule: rule))
  }

  func app(
    _ kind: StoreKind, _ settings: AppSettings = AppSettings(), state: AppState = .active
  ) throws -> ReferenceApp {
    try ReferenceApp(kind, ports, clock: clock, log: sink, settings, state: state)
  }
}

/// A session-sized text with nothing special in it.
func sessionText(_ generation: Int = 1) throws -> JavaScriptString {
  JavaScriptString(
    try SessionText.make(user: "ada", generation: generation, issuedAtMs: 1_790_000_000_000))
}

/// What a call throws; `nil` if it does not.
func failure(_ body: () async throws(StoreError) -> Void) async -> StoreError? {
  do throws(StoreError) {
    try await body()
    return nil
  } catch {
    return error
  }
}
