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
package struct StorageDevice: Sendable {
  package internal(set) var live: Volume { didSet { knownDigest = nil } }
  package internal(set) var durable: Volume
  package let setup: DeviceSetup
  /// The named domains, and last the rest.
  package let domains: [DurabilityDomain]
  package internal(set) var faults = FaultBoard()
  /// Bytes that the device can hold; lowering it below what is stored makes the device full.
  package var capacityBytes: Int
  /// Processes of the operating system. A fault that ends the app never ends one of these: an
  /// operation of theirs goes on, and the front end ends the app that waits for it.
  package var services: Set<ProcessNumber> = []
  /// Opens below these paths answer EPERM: files of a phone that was not unlocked since its boot.
  package var sealedPrefixes: [String] = []
  /// The most recent operations: at least the setup's `logLimit`, when there are as many.
  package internal(set) var log: OperationLog

  /// Of the live view, since somebody asked for it.
  var knownDigest: ImageDigest?
  var pending = PendingChanges()
  var handleCounts: [InodeID: Int] = [:]
  var nextInode: UInt64 = 2
  var lastSequence = 0
  var itemCount = 0
  var lastNumber = 0
  private var nextParked = 1
  var parkedRequests: [ParkedID: Parked] = [:]
  /// The operation under way, and its changes for its record.
  private var currentNumber = OperationNumber(0)
  private var currentTimeNs: Int64 = 0
  private var currentChanges: [LoggedChange] = []
  /// Since the last record, for the next one. Room for a few is kept.
  private var currentSettlements: [Settlement] = []
  private static let keptCount = 64
  /// What became of everything pending since the last operation of the log.
  package internal(set) var interlude: Interlude?
  /// What has changed the device since somebody asked for it; costs a copy of all bytes written.
  package var recording: Recording?
  /// Where inodes are, remembered until a name changes.
  var places = PlaceMemory()

  typealias Place = PlaceMemory.Place

  /// Where a request does something: a rename or a link in two places.
  struct Places {
    let first: Place
    var second: Place?

    var paths: [String] { [first.path] + (second.map { [$0.path] } ?? []) }
  }

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
    log = OperationLog(limit: setup.logLimit)
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
    currentTimeNs = timeNs
    let hits = faults.isQuiet ? [] : consultFaults(request, by: process, number)
    guard !hits.isEmpty else {
      return finish(request, by: process, at: timeNs, number: number, fault: nil)
    }
    let hit = hits.first { $0.fault.effect.alteration == nil }
    var performed =
      hit.map { strike($0, request, by: process, at: timeNs, number: number) }
      ?? finish(request, by: process, at: timeNs, number: number, fault: hits.first?.fault.name)
    performed.fired = hits.map(\.id)
    for case .alter(let alteration) in hits.map(\.fault.effect) {
      if let id = live.resolve(alteration.path) { performed.stale.inodes.append(id) }
    }
    return performed
  }

  /// Applies a parked request now. Faults are not asked again.
  package mutating func resume(_ id: ParkedID, at timeNs: Int64) -> Performed {
    guard let parked = parkedRequests.removeValue(forKey: id) else {
      return Performed(number: nil, answer: .reply(.failure(.inputOutput)))
    }
    currentTimeNs = timeNs
    return finish(
      parked.request, by: parked.process, at: timeNs, number: parked.number, fault: parked.fault)
  }

  /// Forgets a parked request whose process is gone; nothing is applied, and the log shows EIO.
  package mutating func abandon(_ id: ParkedID) {
    guard let parked = parkedRequests.removeValue(forKey: id), let number = parked.number else {
      return
    }
    recordUnapplied(
      parked.request, by: parked.process, number: number, .inputOutput, parked.fault)
  }

  /// What a parked request is about, for messages: `rename /a/b`.
  package func description(of id: ParkedID) -> String {
    guard let parked = parkedRequests[id], let kind = parked.request.kind else { return "nothing" }
    let (inode, name) = parked.request.subject
    let path = name.map { live.path(of: $0, in: inode) } ?? live.path(of: inode)
    return "\(kind.rawValue) \(path)"
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
    if !currentChanges.isEmpty { currentChanges.removeAll(keepingCapacity: true) }
    currentNumber = number ?? OperationNumber(lastNumber)
    let places = number == nil ? nil : placesOf(request)
    let result = Result { () throws(DeviceError) in try apply(request, at: timeNs) }
    if recording != nil, case .success = result {
      recording?.add(
        Recording.Step(number: number, request: request, process: process, timeNs: timeNs))
    }
    if let number, let places {
      record(request, by: process, number: number, places, failure(of: result), fault)
      if pending.count > setup.pendingLimit { settle() }
    }
    return Performed(number: number, answer: .reply(result))
  }

  mutating func record(
    _ request: Request, by process: ProcessNumber, number: OperationNumber, _ places: Places,
    _ error: DeviceError?, _ fault: String?
  ) {
    guard let kind = request.kind else { return }
    var target = places.second?.path
    if case .symbolicLink(_, _, let text, _) = request {
      target = String(decoding: text, as: UTF8.self)
    }
    if case .point(let name) = request { target = name }
    let (offset, length) = request.extent
    log.append(
      OperationRecord(
        number: number, timeNs: currentTimeNs, process: process, kind: kind,
        domain: domains[places.first.domain].name, path: places.first.path, target: target,
        offset: offset,
        length: length, error: error, fault: fault, pending: currentChanges,
        settled: currentSettlements, interlude: interlude))
    if !currentSettlements.isEmpty {
      currentSettlements.removeAll(keepingCapacity: currentSettlements.count <= Self.keptCount)
    }
    interlude = nil
    if case .point(setup.itemPoint) = request { itemCount += 1 }
  }

  /// Writes the record of a request that a fault withheld.
  mutating func recordUnapplied(
    _ request: Request, by process: ProcessNumber, number: OperationNumber, _ error: DeviceError?,
    _ fault: String
  ) {
    currentChanges.removeAll(keepingCapacity: true)
    record(request, by: process, number: number, placesOf(request), error, fault)
  }

  /// How many operations have been numbered.
  package var operationCount: Int { lastNumber }

  // MARK: - Paths and domains

  /// The index of the domain that holds a path.
  func domain(of path: String) -> Int {
    domains.firstIndex { $0.covers(path) } ?? domains.count - 1
  }

  /// Where an inode is, or was while it still had a name.
  mutating func place(of id: InodeID) -> Place {
    if let known = places[id] { return known }
    guard id != .root, let parent = live[id]?.parent, let name = live[id]?.name else {
      return Place(path: "/", domain: domain(of: "/"))
    }
    let found = place(of: name, in: parent)
    places[id] = found
    return found
  }

  mutating func place(of name: FileName, in directory: InodeID) -> Place {
    let parent = place(of: directory).path
    let path = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    return Place(path: path, domain: domain(of: path))
  }

  mutating func placesOf(_ request: Request) -> Places {
    let (inode, name) = request.subject
    let first = name.map { place(of: $0, in: inode) } ?? place(of: inode)
    guard let (directory, other) = request.destination else { return Places(first: first) }
    return Places(first: first, second: place(of: other, in: directory))
  }

  // MARK: - Changing

  /// Makes one change live, and durable or pending as the domain's profile says.
  mutating func commit(_ change: consuming Change, at timeNs: Int64) {
    lastSequence += 1
    let (owner, entry) = (change.owner, change.entry)
    let home =
      if let entry { place(of: entry.name, in: owner).domain } else { place(of: owner).domain }
    let replaced = entry.flatMap { live.child($0.name, of: owner) }
    live.apply(change, at: timeNs)
    if domains[home].profile.durability == .immediate {
      durable.apply(change, at: timeNs)
    } else {
      let print = change.print
      currentChanges.append(change.logged(print))
      pending.append(
        PendingChange(
          change: change, print: print, operation: currentNumber, sequence: lastSequence,
          domain: home, timeNs: timeNs, item: itemCount))
    }
    guard let entry else { return }
    rehome(entry.target)
    if let replaced, replaced != entry.target { rehome(replaced) }
  }

  /// Looks anew where an inode is whose names have changed, and moves what is pending there to the
  /// domain of its path.
  private mutating func rehome(_ id: InodeID) {
    let isNew = !places.forget(id) && pending.changes(of: id).isEmpty
    guard live[id]?.kind == .directory else {
      if domains.count > 1 { moveChanges(of: id) }
      return
    }
    if isNew, live[id]?.entries.isEmpty ?? true { return }
    places = PlaceMemory()
    if domains.count > 1 { moveChangesBelow(id) }
  }

  private mutating func moveChangesBelow(_ id: InodeID) {
    moveChanges(of: id)
    for child in live[id]?.entries.values.sorted() ?? [] { moveChangesBelow(child) }
  }

  private mutating func moveChanges(of id: InodeID) {
    guard !pending.changes(of: id).isEmpty else { return }
    let home = place(of: id)
    var homes: [FileName: Int] = [:]
    for name in pending.changes(of: id).lazy.compactMap(\.change.entry?.name) {
      homes[name] = place(of: name, in: id).domain
    }
    pending.rehome(id) { $0.change.entry.flatMap { homes[$0.name] } ?? home.domain }
    let profiles = domains.map(\.profile)
    persist(pending.take(of: id) { profiles[$0.domain].durability == .immediate })
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

  /// Notes for the next record of the log what became of changes that were pending.
  mutating func noteSettled(_ changes: [PendingChange], isDurable: Bool) {
    for index in changes.indices {
      currentSettlements.append(
        Settlement(
          operation: changes[index].operation, change: changes[index].logged, isDurable: isDurable))
    }
  }

  /// Makes changes durable that were pending.
  ///
  /// An inode without a name is forgotten only after the last change, for a later one may name it
  /// again, and must then replace what else has that name.
  mutating func persist(_ changes: [PendingChange]) {
    noteSettled(changes, isDurable: true)
    var unnamed: [InodeID] = []
    for index in changes.indices {
      switch changes[index].change {
      case .removeEntry(_, _, let id): unnamed.append(id)
      case .addEntry(let directory, let name, _):
        if let replaced = durable.child(name, of: directory) { unnamed.append(replaced) }
      default: break
      }
      durable.apply(changes[index].change, at: changes[index].timeNs)
    }
    for id in unnamed { dropIfUnreachable(id) }
  }

  /// Makes one change in both views, after all that was pending for its owner.
  mutating func overwrite(_ change: Change, at timeNs: Int64) {
    writeBack(change.owner)
    live.apply(change, at: timeNs)
    durable.apply(change, at: timeNs)
  }

  private mutating func takeNumber() -> OperationNumber {
    lastNumber += 1
    return OperationNumber(lastNumber)
  }

  private func failure(of result: Result<Response, DeviceError>) -> DeviceError? {
    if case .failure(let error) = result { error } else { nil }
  }
}
