extension StorageDevice {
  package mutating func arm(_ fault: ArmedFault) -> FaultID { faults.arm(fault) }

  package mutating func disarm(_ fault: FaultID) { faults.disarm(fault) }

  /// Disarms all faults and forgets what became of them; their numbers start anew.
  package mutating func forgetFaults() { faults = FaultBoard() }

  mutating func consultFaults(
    _ request: Request, by process: ProcessNumber, _ number: OperationNumber?
  ) -> [FaultBoard.Entry] {
    guard let kind = request.kind else { return [] }
    var point: String?
    if case .point(let name) = request { point = name }
    let sighting = FaultBoard.Sighting(
      kind: kind, isNumbered: number != nil, number: number ?? OperationNumber(lastNumber),
      paths: placesOf(request).paths, point: point,
      isKnownProcess: process != .unknown)
    var board = faults
    let hits = board.consult(sighting) { alteration in
      do throws(DeviceError) {
        _ = try alter(alteration)
        return true
      } catch {
        // Nothing there to change: the fault stays armed, and its status says so.
        return false
      }
    }
    faults = board
    return hits
  }

  /// Lets a fault hit a request.
  mutating func strike(
    _ hit: FaultBoard.Entry, _ request: Request, by process: ProcessNumber, at timeNs: Int64,
    number: OperationNumber?
  ) -> Performed {
    let name = hit.fault.name
    switch hit.fault.effect {
    case .error(let error): return refuse(request, error, by: process, number: number, name)
    case .short(let count):
      return finish(
        request.shortened(to: count), by: process, at: timeNs, number: number, fault: name)
    case .lie: return lie(request, by: process, at: timeNs, number: number, name)
    case .delay(let milliseconds):
      var performed = finish(request, by: process, at: timeNs, number: number, fault: name)
      performed.delayMs = milliseconds
      return performed
    case .hold: return parked(request, by: process, number: number, name, nil)
    case .event: return parked(request, by: process, number: number, name, .event(hit.id))
    case .killBefore where !services.contains(process):
      var performed = refuse(request, .inputOutput, by: process, number: number, name)
      performed.consequence = .kill(process)
      return performed
    case .killBefore, .killAfter:
      var performed = finish(request, by: process, at: timeNs, number: number, fault: name)
      performed.consequence = .kill(process)
      return performed
    case .powerCut(let survivors):
      var performed = finish(request, by: process, at: timeNs, number: number, fault: name)
      performed.consequence = .powerCut(survivors)
      return performed
    case .torn(let sectorCount, let survivors):
      var performed = finish(request, by: process, at: timeNs, number: number, fault: name)
      performed.consequence = .powerCut(
        .torn(number ?? OperationNumber(lastNumber), sectorCount: sectorCount, rest: survivors))
      return performed
    case .alter: return finish(request, by: process, at: timeNs, number: number, fault: name)
    }
  }

  private mutating func parked(
    _ request: Request, by process: ProcessNumber, number: OperationNumber?, _ fault: String,
    _ consequence: Performed.Consequence?
  ) -> Performed {
    let id = park(request, by: process, number: number, fault: fault)
    return Performed(number: number, answer: .parked(id), consequence: consequence)
  }

  private mutating func refuse(
    _ request: Request, _ error: DeviceError, by process: ProcessNumber, number: OperationNumber?,
    _ fault: String
  ) -> Performed {
    if let number { recordUnapplied(request, by: process, number: number, error, fault) }
    return Performed(number: number, answer: .reply(.failure(error)))
  }

  /// Answers what the request would answer, and applies nothing.
  private mutating func lie(
    _ request: Request, by process: ProcessNumber, at timeNs: Int64, number: OperationNumber?,
    _ fault: String
  ) -> Performed {
    var trial = self
    var performed = trial.finish(request, by: process, at: timeNs, number: number, fault: fault)
    guard case .reply(.success) = performed.answer else {
      self = trial
      return performed
    }
    if let number { recordUnapplied(request, by: process, number: number, nil, fault) }
    let (inode, name) = request.subject
    if let name {
      performed.stale.names = [Stale.Name(directory: inode, name: name)]
      if let child = live.child(name, of: inode) { performed.stale.inodes = [child] }
    } else {
      performed.stale.inodes = [inode]
    }
    if let (directory, name) = request.destination {
      performed.stale.names.append(Stale.Name(directory: directory, name: name))
    }
    return performed
  }

  /// Changes stored bytes without a write, in the live and the durable view.
  ///
  /// - Returns: The inode that changed.
  /// - Throws: ``DeviceError/noEntry`` when there is no such file, ``DeviceError/invalid`` when the
  ///   pattern names several or the byte lies past the end. Nothing has changed then.
  package mutating func alter(_ alteration: Alteration) throws(DeviceError) -> InodeID {
    switch alteration {
    case .flipBit(let path, let byte, let bit):
      let id = try file(at: path)
      guard let inode = live[id], byte >= 0, byte < inode.sizeBytes, (0..<8).contains(bit) else {
        throw .invalid
      }
      var page = inode.pages[byte / Inode.pageBytes]?.bytes ?? Inode.emptyPage
      page[byte % Inode.pageBytes] ^= 1 << UInt8(bit)
      overwrite(.data(id, page: byte / Inode.pageBytes, offset: 0, page), at: inode.modifiedNs)
      return id
    case .truncate(let path, let length):
      let id = try file(at: path)
      guard let inode = live[id], length >= 0, length <= inode.sizeBytes else { throw .invalid }
      overwrite(.size(id, from: inode.sizeBytes, to: length), at: inode.modifiedNs)
      return id
    }
  }

  /// The name of the domain that holds the file which an alteration names; `nil` for no file.
  package mutating func domainName(ofFileAt pattern: String) -> String? {
    live.files(matching: PathPattern(pattern)).first.map { domains[place(of: $0).domain].name }
  }

  /// The one file that a path or pattern names.
  private func file(at pattern: String) throws(DeviceError) -> InodeID {
    let found = live.files(matching: PathPattern(pattern))
    guard let id = found.first else { throw .noEntry }
    guard found.count == 1 else { throw .invalid }
    return id
  }
}

extension Request {
  /// The same read or write of at most `count` bytes.
  fileprivate func shortened(to count: Int) -> Request {
    switch self {
    case .read(let inode, let offset, let wanted):
      .read(inode, offset: offset, count: min(wanted, count))
    case .write(let inode, let offset, let bytes):
      .write(inode, offset: offset, Array(bytes.prefix(count)))
    default: self
    }
  }
}
