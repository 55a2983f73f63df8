/// The number of a fault on one device, in the order of arming; from 1.
package struct FaultID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) {
    self.number = number
  }

  package static func < (left: FaultID, right: FaultID) -> Bool { left.number < right.number }
}

/// A fault that waits for its moment: when, how often, and what then happens.
package struct ArmedFault: Equatable, Sendable {
  /// The word of the catalogue, for reports: `kill`, `power-cut`, `keychain-reset`.
  package var name: String
  package var trigger: Trigger
  package var effect: Effect
  /// How many matching operations it hits before it is spent.
  package var times: Int

  package init(name: String, trigger: Trigger, effect: Effect, times: Int = 1) {
    precondition(times >= 1, "a fault fires at least once")
    self.name = name
    self.trigger = trigger
    self.effect = effect
    self.times = times
  }

  /// When a fault fires.
  package enum Trigger: Equatable, Sendable {
    /// At the `occurrence`-th announcement of a logical point after arming; from 1.
    case point(String, occurrence: Int)
    /// At the `count`-th numbered operation after arming, points not counted; from 1. With more
    /// than one time, at those that follow at once.
    case operation(count: Int)
    /// At the `occurrence`-th operation after arming that has this kind and path; from 1.
    case call(OperationKind?, path: PathPattern, occurrence: Int)
  }

  /// What a fault does to the operation that sets it off.
  package enum Effect: Equatable, Sendable {
    /// Refuse it, unapplied.
    case error(DeviceError)
    /// Read or write at most this many bytes, and say so.
    case short(bytes: Int)
    /// Apply the first sectors of the write, then cut the power.
    case torn(sectorCount: Int, Survivors)
    /// Report success and do nothing.
    case lie
    case delay(milliseconds: Int)
    /// Park it until ``StorageDevice/resume(_:at:)``.
    case hold
    /// End the calling process; the operation is not applied.
    case killBefore
    /// Apply the operation, then end the calling process.
    case killAfter
    /// Apply the operation in the live view, then cut the power.
    case powerCut(Survivors)
    /// Change stored bytes first, then go on.
    case alter(Alteration)
    /// Park it, run an event of the operating system, then apply it.
    case event
  }

  /// What became of a fault.
  package enum Status: Equatable, Sendable {
    case armed
    case fired(OperationNumber)
    /// Disarmed, or the run ended, before it fired.
    case expired
  }
}

/// Stored bytes that change without a write; the path is a whole one or a pattern of one file.
package enum Alteration: Equatable, Sendable {
  case flipBit(path: String, byte: Int, bit: Int)
  case truncate(path: String, to: Int)

  var path: String {
    switch self {
    case .flipBit(let path, _, _), .truncate(let path, _): path
    }
  }
}

/// Which pending changes a power cut leaves behind.
package indirect enum Survivors: Equatable, Sendable {
  /// Only what the profile promises.
  case none
  /// What was handed to the drive by a sync, though without a barrier; nothing else.
  case issued
  /// Everything.
  case all
  /// Of all pending changes, counted from 0 for the oldest, these, where the profiles allow it.
  case kept(Set<Int>)
  /// Any legal choice, drawn from this seed.
  case seeded(UInt64)
  /// A choice for each named domain; the other domains keep what `rest` says.
  case perDomain([String: Survivors], rest: Survivors)
  /// The write with this number reaches the medium only with its first sectors; the other changes
  /// do as `rest` says.
  case torn(OperationNumber, sectorCount: Int, rest: Survivors)
  /// One write reaches the medium in part; the other changes do as `rest` says.
  case partial(PartialWrite, rest: Survivors)
}

/// A write that a power cut tears.
package struct PartialWrite: Hashable, Sendable {
  /// Which sectors of the write arrive: a drive may begin at either end.
  package enum End: String, CaseIterable, Sendable {
    case first, last
  }

  /// Any pending change of the write, counted from 0 for the oldest of all.
  package let change: Int
  package let end: End
  /// How many sectors arrive, of all that the write touches.
  package let sectorCount: Int

  package init(change: Int, _ end: End, sectorCount: Int) {
    self.change = change
    self.end = end
    self.sectorCount = sectorCount
  }
}

/// The kinds of operation that a fault can name.
package enum OperationKind: String, CaseIterable, Sendable {
  case lookUp = "lookup"
  case attributes = "stat"
  case open
  case read
  case list
  case create
  case makeDirectory = "mkdir"
  case symbolicLink = "symlink"
  case link
  case unlink
  case removeDirectory = "rmdir"
  case rename
  case write
  case truncate
  case setAttributes = "setattr"
  case allocate
  case setExtendedAttribute = "setxattr"
  case sync
  case syncDirectory = "syncdir"
  case point
}

/// A path with `*` for any run of bytes but `/`, and `**` for any run at all. A pattern without a
/// `/` is matched against the last name of the path.
package struct PathPattern: Equatable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// Whether the pattern covers the whole of `path`.
  ///
  /// - Complexity: O(*n* · *m*) for the lengths of path and pattern.
  package func matches(_ path: String) -> Bool {
    let subject =
      text.utf8.contains(UInt8(ascii: "/"))
      ? Array(path.utf8) : Array(path.utf8.split(separator: UInt8(ascii: "/")).last ?? [])
    return Self.matches(Array(text.utf8)[...], subject[...])
  }

  private static func matches(_ pattern: ArraySlice<UInt8>, _ subject: ArraySlice<UInt8>) -> Bool {
    let star = UInt8(ascii: "*")
    var rest = pattern
    guard let head = rest.popFirst() else { return subject.isEmpty }
    guard head == star else {
      return subject.first == head && matches(rest, subject.dropFirst())
    }
    let crosses = rest.first == star
    if crosses { rest.removeFirst() }
    var tail = subject
    while true {
      if matches(rest, tail) { return true }
      guard let next = tail.popFirst(), crosses || next != UInt8(ascii: "/") else { return false }
    }
  }
}
