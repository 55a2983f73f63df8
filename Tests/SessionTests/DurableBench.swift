import Crypto
import Ports
import Session
import Testing

/// One phone with both halves, whose n-th native call can meet a fault.
///
/// What was stored since ``settle()`` is kept, so that a power cut can bring back any state of
/// each half by itself.
final class DurableBench {
  /// What a native call meets.
  enum Fault: CaseIterable {
    case rejects
    case takesEffectAndRejects
    /// A change resolves without effect; a read finds nothing.
    case lies
    case isKilledBefore
    case isKilledAfter
  }

  static let name = "sb-demo-auth-token"
  let key: Half
  let blob: Half
  let entropy = FakeEntropy(Journal())
  let console = FakeConsole(Journal())
  let trace = Journal()
  /// `nil` for a process that cannot tell how long ago it has saved.
  var clock: FakeClock?
  var isInForeground = true
  var heals: [DurableHeal] = []
  /// Which call, counted from 1, meets which fault.
  private var armed: (call: Int, fault: Fault)?
  private var callCount = 0
  private(set) var hasFired = false
  private var isDead = false

  init() {
    (key, blob) = (Half(), Half())
    for half in [key, blob] {
      half.meet = { [unowned self] () throws(NativeError) in try self.meet() }
    }
  }

  func arm(_ fault: Fault, atCall call: Int) {
    (armed, callCount, hasFired) = ((call, fault), 0, false)
  }

  private func meet() throws(NativeError) -> Fault? {
    if isDead { throw NativeError(message: "the process is gone") }
    callCount += 1
    guard let armed, armed.call == callCount else { return nil }
    hasFired = true
    isDead = armed.fault == .isKilledBefore || armed.fault == .isKilledAfter
    return armed.fault
  }

  /// A new process on what is stored. No fault is armed any more.
  func launch() throws -> DurableStore {
    (armed, isDead) = (nil, false)
    var ports = StorePorts(
      secure: key, plain: blob, entropy: entropy, console: console, trace: FakeTrace(trace))
    ports.isInForeground = { [unowned self] in isInForeground }
    ports.clock = clock
    ports.onHeal = { [unowned self] in heals.append($0) }
    return try DurableStore(ports)
  }

  /// What a cold start reads.
  func read() async throws -> JavaScriptString? { try await launch().item(Self.name) }

  var isEmpty: Bool { key.items.isEmpty && blob.items.isEmpty }

  /// All that is stored is durable from here on.
  func settle() {
    key.settle()
    blob.settle()
  }

  /// Has a body look at each pair of states that a power cut may leave.
  func afterEachPowerCut(_ body: (_ place: String) async throws -> Void) async throws {
    let (keys, blobs) = (key.history, blob.history)
    for (keyIndex, keyItems) in keys.enumerated() {
      for (blobIndex, blobItems) in blobs.enumerated() {
        (key.items, blob.items) = (keyItems, blobItems)
        try await body("key state \(keyIndex), blob state \(blobIndex)")
      }
    }
    (key.items, blob.items) = (keys[keys.count - 1], blobs[blobs.count - 1])
  }

  /// One half of the phone.
  final class Half: SecureStorage, PlainStorage {
    var items: [String: String] = [:]
    /// What every call rejects with, as a locked keychain does.
    var refusal: NativeError?
    /// What reads of an item that is there reject with.
    var unreadable: NativeError?
    /// What reads find, whatever is stored.
    var answer: String??
    private(set) var history: [[String: String]] = [[:]]
    private(set) var changeCount = 0
    fileprivate var meet: () throws(NativeError) -> Fault? = { () throws(NativeError) in nil }

    func settle() { history = [items] }

    func item(_ name: String) async throws(NativeError) -> String? {
      await Task.yield()
      if let unreadable, items[name] != nil { throw unreadable }
      var found = answer ?? items[name]
      try call { isEffective in if !isEffective { found = nil } }
      return found
    }

    func setItem(_ name: String, to value: String) async throws(NativeError) {
      try await change(name, value)
    }

    func removeItem(_ name: String) async throws(NativeError) { try await change(name, nil) }

    private func change(_ name: String, _ value: String?) async throws(NativeError) {
      await Task.yield()
      try call { isEffective in
        guard isEffective else { return }
        changeCount += 1
        items[name] = value
        if history.last != items { history.append(items) }
      }
    }

    private func call(_ effect: (_ isEffective: Bool) -> Void) throws(NativeError) {
      let fault = try meet()
      if let refusal { throw refusal }
      switch fault {
      case nil: effect(true)
      case .lies: effect(false)
      case .rejects, .isKilledBefore: throw NativeError(message: "I/O error.")
      case .takesEffectAndRejects, .isKilledAfter:
        effect(true)
        throw NativeError(message: "I/O error.")
      }
    }
  }
}

/// One piece of work of a process, met by each fault at each of its native calls.
struct DurableWork {
  /// The state that it begins in.
  var setUp: (DurableBench) async throws -> Void = { _ in }
  /// What the process does before the faults, such as reading.
  var warmUp: (DurableStore) async throws -> Void = { _ in }
  var work: (DurableStore) async throws -> Void

  /// A run that a fault has hit, or the last one, which none has.
  struct Met {
    var bench: DurableBench
    var fault: DurableBench.Fault
    /// Whether the work was acknowledged.
    var isDone: Bool
    var place: String
  }

  /// Moves each fault from call to call until the work ends untouched.
  func meetEachFault(_ check: (Met) async throws -> Void) async throws {
    for fault in DurableBench.Fault.allCases {
      var call = 0
      var hasFired = true
      while hasFired {
        call += 1
        let bench = DurableBench()
        try await setUp(bench)
        bench.settle()
        let store = try bench.launch()
        try await warmUp(store)
        bench.arm(fault, atCall: call)
        var isDone = true
        do { try await work(store) } catch { isDone = false }
        hasFired = bench.hasFired
        #expect(hasFired || isDone, "an untouched run ends well")
        try await check(
          Met(bench: bench, fault: fault, isDone: isDone, place: "\(fault) at call \(call)"))
      }
      #expect(call > 1, "the work makes native calls")
    }
  }
}

extension DurableBench {
  /// The state after an acknowledged save.
  static func saved(_ text: JavaScriptString) -> (DurableBench) async throws -> Void {
    { bench in try await bench.launch().setItem(name, to: text) }
  }

  /// A pair as the published recipe writes it.
  static func legacy(_ text: JavaScriptString) -> (DurableBench) async throws -> Void {
    { bench in
      let key = (0..<32).map { UInt8($0) }
      var cipher = try AESJSCipher()
      bench.key.items[name] = Hexadecimal.encode(key)
      bench.blob.items[name] = try cipher.encrypt(text, key: key)
    }
  }
}
