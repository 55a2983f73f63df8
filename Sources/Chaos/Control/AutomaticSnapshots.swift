import Device
import Linux
import Mount
import Phone

/// A phone as it was at one time: everything stored, and what its system knew.
///
/// To go back there makes all of it durable, whatever it was then.
struct Moment: Sendable {
  let volume: Volume
  let state: HostState

  init(_ host: PhoneHost) {
    volume = host.mounted.withDevice { $0.live }
    state = host.state.withLock { $0 }
  }
}

/// The moments before the latest faults that took or changed something stored, and before the latest
/// restores and resets that did. Nobody has to ask for these snapshots, and no platform's backup rules apply: the phone comes back as it was.
///
/// They live as long as the mount. A name is given once, so that an old `undo:` line never brings
/// back anything else.
struct AutomaticSnapshots: Sendable {
  /// How many are kept; the oldest goes.
  static let countMax = 8

  /// Oldest first.
  private(set) var entries: [(name: String, moment: Moment)] = []
  private var given: Set<String> = []

  subscript(name: String) -> Moment? { entries.first { $0.name == name }?.moment }

  /// Keeps the moment before a change.
  ///
  /// - Parameters:
  ///   - moment: The phone before it.
  ///   - word: What changes it.
  ///   - taken: Names of other snapshots.
  /// - Returns: The snapshot's name.
  mutating func keep(_ moment: Moment, before word: String, besides taken: Set<String>) -> String {
    var (name, number) = ("before-\(word)", 1)
    while taken.contains(name) || given.contains(name) {
      number += 1
      name = "before-\(word)-\(number)"
    }
    given.insert(name)
    entries.append((name, moment))
    entries.removeFirst(max(0, entries.count - Self.countMax))
    return name
  }
}

extension FaultKind {
  /// Whether it may have taken or changed something stored, when it happened at once.
  func mayHaveTaken(from before: Inventory, to after: Inventory, wasVolatile: Bool) -> Bool {
    switch self {
    case .uninstall, .bitFlip, .truncate: true
    case .powerCut: wasVolatile || before != after
    case .keychainReset, .keystoreLoss, .clearData, .biometricChange:
      // Unknown keys may have been any.
      before != after || before.keys == nil
    // These hide what is stored, or bring room for it.
    case .lock, .unlock, .reboot, .prewarm, .install, .diskFull, .diskFree: false
    // A kill takes what is in memory; the others wait for a moment, or for a request to a server.
    case .kill, .killBefore, .tornWrite, .callError, .shortRead, .shortWrite, .lie, .delay, .hold,
      .loseRequest, .refuse, .loseReply, .hang, .lateReply, .errorReply, .htmlReply, .emptyReply,
      .cutReply, .noVersion, .numberCode, .textCode, .expiredTokens, .changeAddress, .serverClock,
      .revokeSession, .rotateElsewhere, .addFactor, .removeFactors, .deleteUser, .banUser:
      false
    }
  }
}
