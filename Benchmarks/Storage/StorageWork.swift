import Chaos
import Crypto
import Device
import Linux
import Phone
import Session

/// What is measured of a store.
enum StorageCall: String, CaseIterable {
  case set
  case get
  case remove
}

/// The calls of a session's life on one kind of storage, an hour after each other.
struct StorageWork {
  let phone: PhoneKind
  let store: StoreKind

  /// Of one kind of call.
  struct Figures {
    var times = Samples()
    /// `nil` where nobody counts.
    var effort: StorageEffort?
  }

  private static let item = "sb-demo-auth-token"
  private static let hourMs: Int64 = 3_600_000
  private static let sessions: [String] = {
    var draws = Draws(seed: StorageSuite.seed)
    return (0..<4).map { _ in
      String(
        decoding: (0..<StorageSuite.sessionBytes).map { _ in UInt8(97 + draws.below(26)) },
        as: UTF8.self)
    }
  }()

  /// Makes each call some times, on a new phone whose app has saved once.
  ///
  /// - Returns: What the calls took, and a digest of what was read.
  /// - Throws: ``BenchmarkError/implementation(_:reason:)`` when a call fails, and what the phone
  ///   threw.
  func play(
    on place: any StoragePlace, callCount: Int
  ) throws -> (figures: [StorageCall: Figures], digest: String) {
    let app = try place.launch(phone, store)
    defer { app.end() }
    var figures: [StorageCall: Figures] = [:]
    var read = ""
    try save(0, app, place)
    for call in StorageCall.allCases {
      for number in 1...callCount {
        place.advanceClock(byMs: Self.hourMs)
        let before = try place.effort()
        let start = Clocks.monotonicNs
        let outcome = try perform(call, number, app, place)
        figures[call, default: Figures()].times.add(Double(Clocks.monotonicNs - start))
        if let before, let after = try place.effort() {
          let known = figures[call]?.effort ?? StorageEffort()
          figures[call]?.effort = known + (after - before)
        }
        if case .item(_, let digest) = outcome { read += digest }
        if call == .remove { try save(number, app, place) }
      }
    }
    return (figures, String(Hexadecimal.encode(try sha256(Array(read.utf8))).prefix(32)))
  }

  private func save(_ number: Int, _ app: any HostedApp, _ place: any StoragePlace) throws {
    place.advanceClock(byMs: Self.hourMs)
    _ = try perform(.set, number, app, place)
  }

  private func perform(
    _ call: StorageCall, _ number: Int, _ app: any HostedApp, _ place: any StoragePlace
  ) throws -> AppResult.Outcome {
    var words = [call.rawValue, Self.item]
    if call == .set { words.append(Self.sessions[number % Self.sessions.count]) }
    let reply = app.perform(words, atMs: place.nowMs)
    guard case .result(let result) = reply, isDone(call, result.outcome) else {
      throw BenchmarkError.implementation(
        "\(call.rawValue) of \(store.name) on \(phone), \(place.name)", reason: "\(reply)")
    }
    return result.outcome
  }

  private func isDone(_ call: StorageCall, _ outcome: AppResult.Outcome) -> Bool {
    switch (call, outcome) {
    case (.set, .saved), (.get, .item(StorageSuite.sessionBytes, _)), (.remove, .removed): true
    default: false
    }
  }
}
