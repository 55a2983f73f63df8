import Ports

/// Follows the logical points: between which of them one half of a session was new and the other old.
///
/// A store may write its halves in any order. A save of one half only, which is acknowledged without
/// the other, opens nothing.
struct HalvesHistory {
  typealias Moment = DurabilityHistory.Moment

  /// A stretch in which the halves did not belong together.
  struct Apart: Equatable {
    /// Which half was new; else the blob was.
    let keyIsNew: Bool
    let start: LogicalPoint
    let startMoment: Moment
    /// `nil` while the halves are apart still, or until the phone was cut off.
    var end: LogicalPoint?
    var endMoment: Moment?
    /// Where a kill loses the session: the points reached meanwhile.
    var losing: [LogicalPoint]
    /// The last operation before a power cut or a reset ended it.
    var cutAfter: Int?

    var lastOperation: Int? { endMoment?.operation ?? cutAfter }
  }

  private(set) var stretches: [Apart] = []
  private(set) var reached: Set<LogicalPoint> = []
  private var current: Apart?

  /// The app, or the keychain's service, announced a point.
  mutating func reach(_ point: LogicalPoint, at moment: Moment) {
    reached.insert(point)
    switch point {
    case .keyWritten: write(isKey: true, point, moment)
    case .blobWritten, .manifestWritten: write(isKey: false, point, moment)
    case .recoveryEnds: end(point, moment)
    case .saveAcknowledged:
      // Complete now, or of one half only.
      if current?.end == nil { current = nil }
      conclude()
    case .saveBegins, .beforeKey, .beforeBlob, .eventEmitted, .recoveryBegins:
      if current?.end != nil { conclude() }
      current?.losing.append(point)
    case .itemCommitted, .browserOpened: break
    }
  }

  /// A power cut or a reset: which halves are left is not known from points.
  mutating func restart(after operation: Int) {
    if current?.end == nil { current?.cutAfter = operation }
    conclude()
  }

  /// The phone is looked at now.
  mutating func finish() { conclude() }

  private mutating func write(isKey: Bool, _ point: LogicalPoint, _ moment: Moment) {
    if let open = current, open.keyIsNew != isKey { return end(point, moment) }
    // The same half once more: its index, a new attempt after a failed one, or the next save.
    if current?.end != nil { conclude() }
    let open = current ?? Apart(keyIsNew: isKey, start: point, startMoment: moment, losing: [])
    current = open
    current?.losing.append(point)
  }

  private mutating func end(_ point: LogicalPoint, _ moment: Moment) {
    // A value and then its index: the halves belong together only when both are written.
    if let former = current?.end { current?.losing.append(former) }
    current?.end = point
    current?.endMoment = moment
  }

  private mutating func conclude() {
    guard let apart = current else { return }
    current = nil
    if apart.end == nil, apart.cutAfter == nil, !hasOtherHalf(apart) { return }
    stretches.append(apart)
  }

  /// Whether the half that is missing was ever written or tried; an app of one half has none.
  private func hasOtherHalf(_ apart: Apart) -> Bool {
    let other: Set<LogicalPoint> =
      apart.keyIsNew ? [.beforeBlob, .blobWritten, .manifestWritten] : [.beforeKey, .keyWritten]
    return !other.isDisjoint(with: reached)
  }
}
