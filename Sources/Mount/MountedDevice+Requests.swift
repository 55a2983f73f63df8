import CFuse
import Device
import Glibc
import Linux

extension MountedDevice {
  /// Performs one request of the kernel and answers it, or parks it.
  func perform(_ call: Call, _ reply: consuming Reply) {
    let process = supervisor.process(ofThread: call.caller.thread)
    var reply: Reply? = reply
    let next = state.withLock { state -> Followup in
      state.requestCount += 1
      guard !call.mixesEpochs, call.epoch == nil || call.epoch == state.epoch else {
        reply.take()?.code(ESTALE)
        return .nothing
      }
      if let error = state.errorAgain(for: call) {
        reply.take()?.code(error.rawValue)
        return .nothing
      }
      if let response = state.indexes.take(call, on: state.device) {
        answer(response, to: call, &reply, &state)
        return .nothing
      }
      state.indexes.note(call.request)
      if let room = call.headBytes {
        return performInTwo(call.split(after: room), by: process, &reply, &state)
      }
      let performed = state.perform(call.request, by: process, at: now)
      return finish(performed, of: call, by: process, &reply, &state)
    }
    follow(next)
  }

  /// A write that fails after its head has written the head.
  private func performInTwo(
    _ parts: (head: Call, tail: Call), by process: ProcessNumber, _ reply: inout Reply?,
    _ state: inout State
  ) -> Followup {
    let first = state.perform(parts.head.request, by: process, at: now)
    guard first.plainResponse == .written(parts.tail.writtenBefore) else {
      return finish(first, of: parts.head, by: process, &reply, &state)
    }
    let rest = state.perform(parts.tail.request, by: process, at: now)
    return finish(rest, of: parts.tail, by: process, &reply, &state)
  }

  /// Answers at once what nothing follows from, as most requests are; anything else gets an object
  /// that can wait.
  private func finish(
    _ performed: Performed, of call: Call, by process: ProcessNumber, _ reply: inout Reply?,
    _ state: inout State
  ) -> Followup {
    if state.phase == .serving, performed.fired.isEmpty, let response = performed.plainResponse {
      answer(response, to: call, &reply, &state)
      return .nothing
    }
    guard let reply = reply.take() else { return .nothing }
    return settle(performed, Unanswered(call, by: process, reply), &state)
  }

  /// The kernel has dropped `count` of its references to an inode.
  func forget(_ node: KernelNode, count: UInt64) {
    state.withLock { state in
      guard let known = state.lookUpCounts[node.number] else { return }
      state.lookUpCounts[node.number] = known > count ? known - count : nil
      if known <= count, node.epoch == state.epoch { state.device.closeHandle(node.inode) }
    }
  }

  /// The last descriptor of an open file or directory is closed.
  func release(_ node: KernelNode, handle: UInt64, _ reply: consuming Reply) {
    if node.isVirtual {
      folder.close(handle)
      reply.code(0)
      return
    }
    let process = supervisor.process(ofThread: reply.caller.thread)
    state.withLock { state in
      state.requestCount += 1
      state.listings[handle] = nil
      if let count = state.openCounts[node.number] {
        state.openCounts[node.number] = count > 1 ? count - 1 : nil
      }
      if state.phase == .cutting { state.cut.lateRequestCount += 1 }
      guard node.epoch == nil || node.epoch == state.epoch else { return }
      _ = state.device.perform(.release(node.inode), by: process, at: now)
    }
    reply.code(0)
  }

  /// Rows of a directory. A listing is taken when reading starts at the front, and kept, so that
  /// changes meanwhile neither repeat nor hide other rows.
  func readDirectory(
    _ node: KernelNode, handle: UInt64, from first: Int, bytesMax: Int, _ reply: consuming Reply
  ) {
    let rows = state.withLock { first == 0 ? nil : $0.listings[handle] }
    if let rows {
      reply.rows(rows.dropFirst(first), first: first, bytesMax: bytesMax)
      return
    }
    perform(
      Call(
        .list(node.inode), .rows(handle: handle, from: first, bytes: bytesMax), reply.caller,
        at: node), reply)
  }

  // MARK: - Answering

  /// Sends the answer to a request that has been carried out or refused.
  func answer(
    _ result: Result<Response, DeviceError>, _ request: Unanswered, _ state: inout State
  ) {
    guard let reply = request.take() else { return }
    switch result {
    case .failure where request.call.writtenBefore > 0: reply.written(request.call.writtenBefore)
    case .failure(let error): reply.code(error.rawValue)
    case .success(let response): answer(response, request.call, reply, &state)
    }
  }

  private func answer(
    _ response: Response, to call: Call, _ reply: inout Reply?, _ state: inout State
  ) {
    if let reply = reply.take() { answer(response, call, reply, &state) }
  }

  private func answer(
    _ response: Response, _ call: Call, _ reply: consuming Reply, _ state: inout State
  ) {
    switch (call.shape, response) {
    case (.none, _):
      if case .rename(_, _, .root, let name, _) = call.request { state.rootNames.insert(name) }
      reply.code(0)
    case (.entry, .attributes(let attributes)):
      if reply.entry(encode(attributes, epoch: state.epoch)) { note(attributes, call, &state) }
    case (.created, .attributes(let attributes)):
      let node = KernelNode(attributes.inode, epoch: state.epoch)
      let sent = reply.created(encode(attributes, epoch: state.epoch), openFile())
      if sent { note(attributes, call, &state) }
      opened(node, sent: sent, &state)
    case (.opened(let node), _): opened(node, sent: reply.opened(openFile()), &state)
    case (.openedDirectory(let node), _):
      let file = openDirectory(&state)
      opened(node, sent: reply.opened(file), &state)
    case (.attributes, .attributes(let attributes)):
      reply.attributes(encode(attributes), seconds: cacheSeconds)
    case (.data, .data(let bytes)): reply.bytes(state.indexes.shown(bytes, by: call.request))
    case (.target, .data(let bytes)): reply.target(bytes)
    case (.written, .written(let count)): reply.written(call.writtenBefore + count)
    case (.point(let count), _): reply.written(count)
    case (.rows(let handle, let first, let bytesMax), .entries(let entries)):
      let rows = rows(entries, call)
      state.listings[handle] = rows
      reply.rows(rows.dropFirst(first), first: first, bytesMax: bytesMax)
    case (.statistics, .statistics(let statistics)): reply.statistics(encode(statistics))
    case (.value(let bytesMax), .data(let bytes)): reply.value(bytes, bytesMax: bytesMax)
    case (.names(let bytesMax), .names(let names)):
      reply.value(names.flatMap { Array($0.utf8) + [0] }, bytesMax: bytesMax)
    default:
      state.toolErrors["no answer to \(call.request.kind?.rawValue ?? "release")", default: 0] += 1
      reply.code(EIO)
    }
  }

  /// The kernel now knows an inode, once more, and a name of it.
  ///
  /// An inode that it knows lives on without a name: as a working directory, or as a FIFO, whose
  /// opening the mount never sees.
  private func note(_ attributes: Attributes, _ call: Call, _ state: inout State) {
    let node = KernelNode(attributes.inode, epoch: state.epoch)
    if state.lookUpCounts[node.number] == nil { state.device.openHandle(attributes.inode) }
    state.lookUpCounts[node.number, default: 0] += 1
    switch call.request {
    case .lookUp(.root, let name), .create(in: .root, let name, _),
      .makeNode(in: .root, let name, _, _), .makeDirectory(in: .root, let name, _),
      .symbolicLink(in: .root, let name, _, _), .link(_, in: .root, let name):
      state.rootNames.insert(name)
    default: break
    }
  }

  /// Counts a handle, or gives it back when the caller is gone and will never release it.
  private func opened(_ node: KernelNode, sent: Bool, _ state: inout State) {
    if sent {
      state.openCounts[node.number, default: 0] += 1
    } else {
      _ = state.device.perform(.release(node.inode), by: .unknown, at: now)
    }
  }

  /// The kernel keeps what it has cached of the file: the notifier says when that is wrong.
  private func openFile() -> fuse_file_info {
    var file = fuse_file_info()
    file.keep_cache = 1
    return file
  }

  private func openDirectory(_ state: inout State) -> fuse_file_info {
    var file = fuse_file_info()
    file.fh = state.nextHandle
    state.nextHandle += 1
    return file
  }

  private func rows(_ entries: [DirectoryEntry], _ call: Call) -> [Row] {
    var directory = stat()
    directory.st_mode = S_IFDIR
    if case .list(let inode) = call.request { directory.st_ino = UInt(inode.number) }
    let dots: [Row] = [(Array(".".utf8), directory), (Array("..".utf8), directory)]
    return dots
      + entries.map { entry in
        var attributes = stat()
        attributes.st_ino = UInt(entry.inode.number)
        attributes.st_mode = typeBits(entry.kind)
        return (entry.name.bytes, attributes)
      }
  }
}

extension MountedDevice.State {
  fileprivate mutating func perform(
    _ request: Request, by process: ProcessNumber, at now: Int64
  ) -> Performed {
    let performed = device.perform(request, by: process, at: now)
    if performed.number != nil, request.kind != .point { onOperation?(process, device) }
    return performed
  }
}
