/// A phone's storage device: what is stored now, what would survive, and every operation between.
///
/// The contract:
/// - every request passes ``perform(_:by:at:)``, which asks the armed faults first, then applies the
///   request to the *live* view, which is all that readers see;
/// - what a request changed stays *pending* until a sync, as the persistence profile of the path's
///   domain says, makes it part of the *durable* view;
/// - a process kill loses nothing that is live; a power cut goes to ``crashState(_:)``.
///
/// Not modelled: access checks (the front end's kernel makes them), locks, quotas, and the order of
/// changes between domains, which are cut independently.
///
/// Synchronous and pure: time comes with each request, nothing is drawn but by ``Survivors``.
package struct Device: Sendable {
  package private(set) var live: Volume
  package private(set) var durable: Volume
  package let setup: DeviceSetup
  /// The named domains, and last the rest.
  package let domains: [DurabilityDomain]
  package internal(set) var faults = FaultBoard()
  /// Bytes that the device can hold; lowering it below what is stored makes the device full.
  package var capacityBytes: Int
  /// Opens below these paths answer EPERM: files of a phone that was not unlocked since its boot.
  package var sealedPrefixes: [String] = []

  var pending = PendingChanges()
  private var records: [OperationRecord] = []
  private var droppedRecordCount = 0
  private var handleCounts: [InodeID: Int] = [:]
  private var nextInode: UInt64 = 2
  private var nextSequence = 0
  private var nextParked = 1
  private var parkedRequests: [ParkedID: Parked] = [:]
  private var itemCount = 0
  var lastNumber = 0
  /// The changes of the operation under way, for its record.
  private var currentChanges: [Change] = []

  struct Parked: Sendable {
    let request: Request
    let process: ProcessNumber
    let number: OperationNumber?
    let fault: String
  }

  package init(_ setup: DeviceSetup) {
    self.setup = setup
    domains =
      setup.domains + [DurabilityDomain(name: "rest", prefix: "/", profile: setup.restProfile)]
    capacityBytes = setup.capacityBytes
    live = Volume(at: setup.startNs)
    durable = live
  }

  // MARK: - Requests

  /// Performs one request, after asking the armed faults.
  ///
  /// - Parameters:
  ///   - request: The call.
  ///   - process: Who calls; decides whom a kill hits.
  ///   - timeNs: Nanoseconds since 1970, for the time stamps of inodes.
  /// - Returns: What to answer and what to do then.
  package mutating func perform(
    _ request: Request, by process: ProcessNumber, at timeNs: Int64
  ) -> Performed {
    let number = request.isNumbered ? takeNumber() : nil
    let hits = faults.isQuiet ? [] : consultFaults(request, number)
    guard !hits.isEmpty else {
      return finish(request, by: process, at: timeNs, number: number, fault: nil)
    }
    var stale = Stale()
    for case .alter(let alteration) in hits.map(\.fault.effect) {
      if let id = try? alter(alteration) { stale.inodes.append(id) }
    }
    let hit = hits.first { if case .alter = $0.fault.effect { false } else { true } }
    var performed =
      hit.map { strike($0, request, by: process, at: timeNs, number: number) }
      ?? finish(request, by: process, at: timeNs, number: number, fault: hits.first?.fault.name)
    performed.fired = hits.map(\.id)
    performed.stale.inodes += stale.inodes
    return performed
  }

  /// Applies a parked request now. Faults are not asked again.
  package mutating func resume(_ id: ParkedID, at timeNs: Int64) -> Performed {
    guard let parked = parkedRequests.removeValue(forKey: id) else {
      return Performed(number: nil, answer: .reply(.failure(.inputOutput)))
    }
    return finish(
      parked.request, by: parked.process, at: timeNs, number: parked.number, fault: parked.fault)
  }

  /// Forgets a parked request whose process is gone; nothing is applied.
  package mutating func abandon(_ id: ParkedID) {
    parkedRequests[id] = nil
  }

  /// What a parked request is about, for messages: `rename /a/b`.
  package func description(of id: ParkedID) -> String {
    guard let parked = parkedRequests[id], let kind = parked.request.kind else { return "nothing" }
    return ([kind.rawValue] + paths(of: parked.request)).joined(separator: " ")
  }

  mutating func park(
    _ request: Request, by process: ProcessNumber, number: OperationNumber?, fault: String
  ) -> ParkedID {
    let id = ParkedID(nextParked)
    nextParked += 1
    parkedRequests[id] = Parked(request: request, process: process, number: number, fault: fault)
    return id
  }

  /// Applies a request, or the start of it, and writes its record.
  mutating func finish(
    _ request: Request, by process: ProcessNumber, at timeNs: Int64, number: OperationNumber?,
    fault: String?
  ) -> Performed {
    currentChanges = []
    let paths = number == nil ? [] : paths(of: request)
    let result = Result { () throws(DeviceError) in try apply(request, at: timeNs) }
    if let number {
      record(request, by: process, number: number, paths: paths, failure(of: result), fault)
      if pending.count > setup.pendingLimit { settle() }
    }
    return Performed(number: number, answer: .reply(result))
  }

  mutating func record(
    _ request: Request, by process: ProcessNumber, number: OperationNumber, paths: [String],
    _ error: DeviceError?, _ fault: String?
  ) {
    guard let kind = request.kind else { return }
    var target = paths.count > 1 ? paths[1] : nil
    if case .symbolicLink(_, _, let text, _) = request {
      target = String(decoding: text, as: UTF8.self)
    }
    if case .point(let name) = request { target = name }
    let path = paths.first ?? "/"
    let (offset, length) = request.extent
    append(
      OperationRecord(
        number: number, process: process, kind: kind, domain: domains[domain(of: path)].name,
        path: path, target: target, offset: offset, length: length, pending: currentChanges,
        error: error, fault: fault))
    if case .point(setup.itemPoint) = request { itemCount += 1 }
  }

  private mutating func append(_ record: OperationRecord) {
    records.append(record)
    if records.count >= 2 * setup.logLimit {
      droppedRecordCount += records.count - setup.logLimit
      records.removeFirst(records.count - setup.logLimit)
    }
  }

  /// The most recent operations, oldest first; at most the setup's `logLimit`.
  package var log: ArraySlice<OperationRecord> { records.suffix(setup.logLimit) }

  /// How many operations have been numbered.
  package var operationCount: Int { lastNumber }

  // MARK: - Paths and domains

  /// The index of the domain that holds a path.
  func domain(of path: String) -> Int {
    domains.firstIndex { $0.covers(path) } ?? domains.count - 1
  }

  func paths(of request: Request) -> [String] {
    let (inode, name) = request.subject
    let first = name.map { live.path(of: $0, in: inode) } ?? live.path(of: inode)
    guard let (directory, other) = request.destination else { return [first] }
    return [first, live.path(of: other, in: directory)]
  }

  // MARK: - Changing

  /// Makes one change live, and durable or pending as the domain's profile says.
  mutating func commit(_ change: Change, at timeNs: Int64) {
    live.apply(change, at: timeNs)
    currentChanges.append(change)
    let domain = domain(of: path(of: change))
    nextSequence += 1
    if domains[domain].profile.durability == .immediate {
      durable.apply(change, at: timeNs)
      return
    }
    pending.append(
      PendingChange(
        change: change, operation: OperationNumber(lastNumber), sequence: nextSequence,
        domain: domain, timeNs: timeNs, item: itemCount))
  }

  private func path(of change: Change) -> String {
    switch change {
    case .addEntry(let directory, let name, _), .removeEntry(let directory, let name, _):
      live.path(of: name, in: directory)
    default: live.path(of: change.owner)
    }
  }

  /// Makes a new inode in both views. Without a durable name it does not survive.
  mutating func makeInode(
    _ kind: Inode.Kind, _ ownership: Ownership, target: [UInt8] = [], at timeNs: Int64
  ) -> InodeID {
    let id = InodeID(nextInode)
    nextInode += 1
    var inode = Inode(kind, ownership, at: timeNs)
    inode.target = target
    live.insert(inode, as: id)
    durable.insert(inode, as: id)
    return id
  }

  /// Makes changes durable that were pending.
  mutating func persist(_ changes: [PendingChange]) {
    for change in changes {
      var unnamed: InodeID?
      switch change.change {
      case .removeEntry(_, _, let id): unnamed = id
      case .addEntry(let directory, let name, _): unnamed = durable.child(name, of: directory)
      default: break
      }
      durable.apply(change.change, at: change.timeNs)
      if let unnamed { dropIfUnreachable(unnamed) }
    }
  }

  /// Makes one change in both views, after all that was pending for its owner.
  mutating func overwrite(_ change: Change, at timeNs: Int64) {
    persist(pending.take(of: change.owner))
    live.apply(change, at: timeNs)
    durable.apply(change, at: timeNs)
  }

  /// Makes everything that is live durable, as a clean shutdown does.
  package mutating func settle() {
    _ = pending.take { _ in true }
    durable = live
  }

  // MARK: - Handles

  mutating func openHandle(_ id: InodeID) {
    handleCounts[id, default: 0] += 1
  }

  mutating func closeHandle(_ id: InodeID) {
    guard let count = handleCounts[id] else { return }
    handleCounts[id] = count > 1 ? count - 1 : nil
    dropIfUnreachable(id)
  }

  /// Forgets an inode that no name and no handle leads to, in each view on its own.
  mutating func dropIfUnreachable(_ id: InodeID) {
    guard id != .root, handleCounts[id] == nil else { return }
    if let inode = live[id], inode.nameCount == 0 { live.remove(id) }
    guard live[id] == nil, let inode = durable[id], inode.nameCount == 0 else { return }
    guard !pending.hasEntry(to: id) else { return }
    durable.remove(id)
    _ = pending.take(of: id)
  }

  private mutating func takeNumber() -> OperationNumber {
    lastNumber += 1
    return OperationNumber(lastNumber)
  }

  private func failure(of result: Result<Response, DeviceError>) -> DeviceError? {
    if case .failure(let error) = result { error } else { nil }
  }

  // MARK: - Whole states

  /// The device after a power loss now: live and durable views are equal, nothing is pending,
  /// every inode but the root has a new number, and the log and faults go on.
  package func crashState(_ survivors: Survivors) -> Device {
    var next = self
    var choice = CrashChoice(survivors, domains: domains)
    let changes = pending.ordered
    next.durable.apply(changes, choice.fates(of: changes))
    next.start(from: next.durable)
    return next
  }

  /// Replaces what is stored by another volume, with new inode numbers; everything is durable.
  package mutating func start(from volume: Volume) {
    live = volume.renumbered(from: &nextInode)
    durable = live
    pending = PendingChanges()
    handleCounts = [:]
    parkedRequests = [:]
  }

  /// Changes what is stored from outside any process, as the operating system does; live and
  /// durable views are equal afterwards, so all that was pending before is durable too.
  package mutating func change(_ body: (inout Tree) -> Void) -> Stale {
    settle()
    var tree = Tree(volume: live, nextInode: nextInode, openInodes: Set(handleCounts.keys))
    body(&tree)
    live = tree.volume
    nextInode = tree.nextInode
    durable = live
    return tree.stale
  }
}
