import Device

/// Follows the log of a device: which changes were volatile from when to when, and where their files
/// are.
///
/// The log says itself what a sync made durable, so the device's own rules decide. Not followed: a
/// file below a directory that is renamed keeps its former path here.
struct DurabilityHistory {
  struct Moment: Equatable {
    let operation: Int
    let timeNs: Int64

    init(_ record: OperationRecord) {
      operation = record.number.number
      timeNs = record.timeNs
    }
  }

  /// One change, from its operation on.
  struct Span {
    let change: LoggedChange
    let kind: OperationKind
    /// Of the file or the name, when it was changed.
    let path: String
    /// Where a name came from that was moved.
    let source: String?
    let start: Moment
    /// Whether a sync handed it to the drive, without a barrier.
    var isIssued = false
    var end: End?
  }

  enum End: Equatable {
    case synced(Moment)
    case decided(Interlude, after: Int)

    var operation: Int {
      switch self {
      case .synced(let moment): moment.operation
      case .decided(_, let operation): operation
      }
    }
  }

  private(set) var spans: [Span] = []
  /// The spans that have no end yet, by the operation that began them.
  private var open: [OperationNumber: [Int]] = [:]
  private var paths: [InodeID: String] = [:]
  private(set) var files: [String: InodeID] = [:]
  /// Files that no name leads to any more.
  private var unnamed: Set<InodeID> = []
  private var lastOperation = 0

  /// Takes in the next record of the log.
  mutating func follow(_ record: OperationRecord) {
    if let interlude = record.interlude { decideAll(interlude) }
    var additions = 0
    for change in record.pending {
      if case .addEntry = change { additions += 1 }
      note(change, of: record, addition: additions)
    }
    for settlement in record.settled { settle(settlement, at: Moment(record)) }
    lastOperation = record.number.number
  }

  /// Ends all spans: the device made everything durable, or was replaced.
  mutating func decideAll(_ interlude: Interlude) {
    for index in open.values.joined() {
      spans[index].end = .decided(interlude, after: lastOperation)
    }
    open = [:]
    guard interlude == .restarted else { return }
    paths = [:]
    files = [:]
    unnamed = []
  }

  // MARK: - What is volatile

  /// The open spans that began after an operation and matter still, by the path that they are about:
  /// content, lengths and names, but nothing of a file that is gone, and no name that came and went.
  ///
  /// - Complexity: O(*n* log *n*) for all open spans.
  func volatile(after operation: Int) -> [String: [Int]] {
    let all = open.values.joined().filter { spans[$0].start.operation > operation }.sorted()
    let added = Set(all.map { spans[$0] }.filter(\.change.isAddition).map(\.path))
    var found: [String: [Int]] = [:]
    for index in all {
      guard let path = concern(of: spans[index], added), !path.isRebuiltAfterCut else { continue }
      found[path, default: []].append(index)
    }
    return found
  }

  private func concern(of span: Span, _ added: Set<String>) -> String? {
    switch span.change {
    case .data(let file, _, _, _), .size(let file, _, _), .hole(let file, _):
      unnamed.contains(file) ? nil : paths[file] ?? span.path
    case .addEntry(_, _, let target): files[span.path] == target ? span.path : nil
    case .removeEntry:
      files[span.path] == nil && !added.contains(span.path) ? span.path : nil
    case .attributes, .extendedAttribute: nil
    }
  }

  // MARK: - Following

  private mutating func note(_ change: LoggedChange, of record: OperationRecord, addition: Int) {
    let path = Self.path(of: change, in: record, addition: addition)
    switch change {
    case .addEntry(_, _, let target):
      if let former = files[path], former != target { unnamed.insert(former) }
      files[path] = target
      paths[target] = path
      unnamed.remove(target)
    case .removeEntry(_, _, let target):
      files[path] = nil
      if paths[target] ?? path == path { unnamed.insert(target) }
    case .data, .size, .hole, .attributes, .extendedAttribute:
      if paths[change.owner] == nil {
        paths[change.owner] = path
        files[path] = change.owner
      }
    }
    open[record.number, default: []].append(spans.count)
    let isMove = record.kind == .rename && path != record.path
    spans.append(
      Span(
        change: change, kind: record.kind, path: path, source: isMove ? record.path : nil,
        start: Moment(record)))
  }

  /// A rename adds its target first; an exchange then adds its source, too.
  private static func path(
    of change: LoggedChange, in record: OperationRecord, addition: Int
  ) -> String {
    guard change.isAddition, record.kind == .rename || record.kind == .link, addition == 1 else {
      return record.path
    }
    return record.target ?? record.path
  }

  private mutating func settle(_ settlement: Settlement, at moment: Moment) {
    guard let began = open[settlement.operation],
      let position = began.firstIndex(where: { spans[$0].change == settlement.change })
    else { return }
    let index = began[position]
    guard settlement.isDurable else {
      spans[index].isIssued = true
      return
    }
    spans[index].end = .synced(moment)
    open[settlement.operation]?.remove(at: position)
  }
}

extension LoggedChange {
  fileprivate var isAddition: Bool {
    if case .addEntry = self { true } else { false }
  }
}

extension String {
  /// SQLite's shared memory: its next reader after a power cut builds it anew.
  fileprivate var isRebuiltAfterCut: Bool { hasSuffix("-shm") }
}
