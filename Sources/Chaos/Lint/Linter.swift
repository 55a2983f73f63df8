package import Device
package import Phone
import Ports

/// Looks for windows in what has happened on a phone, without injecting anything.
///
/// What it knows: the device's operation log, with what each operation left pending and each sync
/// made durable; the logical points in it; and what both halves hold now. It knows no platform: which
/// parts there are and what they promise comes from the device's domains.
package struct Linter {
  let device: StorageDevice
  let inventory: Inventory
  /// Only what came after this operation is looked at.
  let since: Int

  var report = LintReport()
  private(set) var history = DurabilityHistory()
  private(set) var halves = HalvesHistory()
  private(set) var ciphertexts = CiphertextHistory()
  /// Windows that were found open, with the spans that keep them so.
  private var acknowledged: [(window: LintWindow, spans: [Int])] = []
  /// Where the save under way begins.
  private var saveStart: Int
  /// The domains that the save under way has changed.
  private var changed: Set<String> = []

  private init(_ device: StorageDevice, _ inventory: Inventory, since: Int) {
    self.device = device
    self.inventory = inventory
    self.since = since
    saveStart = since
  }

  /// All windows after an operation.
  ///
  /// - Parameters:
  ///   - device: The device as it is now.
  ///   - inventory: What both halves hold now.
  ///   - since: The last operation that is not looked at; 0 for everything.
  /// - Returns: The report; without operations when there are none.
  /// - Complexity: O(*n* log *n*) for the log, times the acknowledged saves in it.
  package static func report(
    on device: StorageDevice, _ inventory: Inventory, since: Int = 0
  ) -> LintReport {
    var linter = Linter(device, inventory, since: since)
    if let first = device.log.first(where: { $0.number.number > since }) {
      linter.report.operations = first.number.number...device.operationCount
    }
    linter.followLog()
    linter.reportHalves()
    linter.reportAcknowledged()
    linter.reportNames()
    linter.reportReuses()
    linter.reportLimits()
    linter.report.sort()
    linter.noteWhatIsUnknown()
    return linter.report
  }

  // MARK: - The log

  private mutating func followLog() {
    for record in device.log {
      let moment = DurabilityHistory.Moment(record)
      if record.interlude == .restarted { halves.restart(after: moment.operation - 1) }
      history.follow(record)
      ciphertexts.follow(record)
      let point = Self.point(of: record)
      if let point { halves.reach(point, at: moment) }
      guard moment.operation > since else { continue }
      noteChanges(of: record)
      if point == .saveAcknowledged { acknowledge(moment.operation) }
      if point == .saveAcknowledged || point == .saveBegins {
        saveStart = moment.operation
        changed = []
      }
    }
    if let interlude = device.interlude {
      if interlude == .restarted { halves.restart(after: device.operationCount) }
      history.decideAll(interlude)
    }
    halves.finish()
  }

  private mutating func noteChanges(of record: OperationRecord) {
    guard record.pending.contains(where: \.isContentOrName) else { return }
    changed.insert(record.domain)
    if record.kind == .rename, let target = record.target {
      changed.insert(domain(of: target).name)
    }
  }

  /// The point that a record announces. One that a fault refused was not reached, but what it is the
  /// end of was written.
  private static func point(of record: OperationRecord) -> LogicalPoint? {
    guard record.kind == .point, let point = record.target.flatMap(LogicalPoint.init) else {
      return nil
    }
    switch point {
    case .keyWritten, .blobWritten, .manifestWritten: return point
    case .saveBegins, .saveAcknowledged, .beforeKey, .beforeBlob, .eventEmitted, .recoveryBegins,
      .recoveryEnds, .itemCommitted, .browserOpened:
      return record.error == nil ? point : nil
    }
  }

  /// The domain that holds a path.
  func domain(of path: String) -> DurabilityDomain {
    device.domains.first { $0.covers(path) } ?? device.domains[device.domains.count - 1]
  }

  // MARK: - At an acknowledgement

  private mutating func acknowledge(_ operation: Int) {
    report.saveCount += 1
    ciphertexts.acknowledge(history.files, at: operation)
    let files = history.volatile(after: saveStart)
    let byDomain = Dictionary(grouping: files.keys) { domain(of: $0).name }
    for (name, paths) in byDomain.sorted(by: { $0.key < $1.key }) {
      let spans = paths.flatMap { files[$0] ?? [] }
      let words = paths.sorted().map { path in
        "\(path.lastName) (\(Self.words((files[path] ?? []).map { history.spans[$0] })))"
      }
      var window = LintWindow(
        .unsyncedAtAcknowledgement, at: name, detail: Self.list(words),
        leaves: Self.leaves(changed.subtracting([name]).sorted(), loss: name))
      window.command = "lab inject power-cut@S1 --survivors \(survivors(without: name))"
      acknowledged.append((window, spans))
    }
  }

  private static func leaves(_ others: [String], loss name: String) -> String {
    let loss = "what was acknowledged may be gone from \(name)"
    return others.isEmpty ? loss : "\(loss), and still be in \(others.joined(separator: ", "))"
  }

  /// What a power cut must leave to show the loss of one domain, as `lab inject` takes it.
  private func survivors(without name: String) -> String {
    guard let rest = device.domains.last?.name, device.domains.count > 1 else { return "none" }
    guard name == rest else { return "\(name)=none,rest=all" }
    return device.domains.dropLast().map { "\($0.name)=all" }.joined(separator: ",") + ",rest=none"
  }

  private mutating func reportAcknowledged() {
    for (window, indices) in acknowledged {
      let spans = indices.map { history.spans[$0] }
      var window = window
      window.bound(by: spans)
      report.add(window)
    }
  }

  /// What is volatile of one file.
  private static func words(_ spans: [DurabilityHistory.Span]) -> String {
    var words: [String] = []
    for span in spans {
      let word =
        switch span.change {
        case _ where span.isIssued: "synced without a barrier"
        case .data, .hole: "content"
        case .size: "length"
        case .addEntry: "name"
        case .removeEntry: "removal"
        case .attributes, .extendedAttribute: "attributes"
        }
      if !words.contains(word) { words.append(word) }
    }
    return words.joined(separator: ", ")
  }

  /// The first few of several.
  private static func list(_ words: [String]) -> String {
    let shown = words.prefix(4).joined(separator: ", ")
    return words.count > 4 ? "\(shown), and \(words.count - 4) more" : shown
  }
}

extension LintWindow {
  /// Takes over from when to when a window was open: as long as one of its changes was volatile.
  mutating func bound(by spans: [DurabilityHistory.Span]) {
    guard let start = spans.min(by: { $0.start.operation < $1.start.operation })?.start else {
      return
    }
    first = start.operation
    let ends = spans.compactMap(\.end)
    guard ends.count == spans.count,
      let end = ends.max(by: { $0.operation < $1.operation })
    else { return }
    last = end.operation
    switch end {
    case .synced(let moment): milliseconds = Int((moment.timeNs - start.timeNs) / 1_000_000)
    case .decided(.writtenBack, _): detail += "; written back later"
    case .decided(.restarted, _): detail += "; then a power cut or a reset"
    }
  }
}

extension LoggedChange {
  fileprivate var isContentOrName: Bool {
    switch self {
    case .data, .hole, .size, .addEntry, .removeEntry: true
    case .attributes, .extendedAttribute: false
    }
  }
}

extension String {
  /// The last name of a path.
  var lastName: String { split(separator: "/").last.map(String.init) ?? self }
}
