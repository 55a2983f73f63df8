import Device
import Glibc
import Linux
import Mount

/// A thread that looks at `/d/f` of a phone in a tight loop, in every way in which the kernel may
/// answer by itself, and compares what it sees with what the device holds.
final class Watch: Sendable {
  enum Look: CaseIterable {
    case status, read, list
    /// Through a descriptor that was opened at the start.
    case keptRead, keptStatus
  }

  private struct Board {
    /// Odd while an injection is under way: either state may be seen.
    var version = 0
    /// What must be seen; a look that is missing may see anything.
    var truth: [Look: Outcome] = [:]
    /// Looks that began and ended in this version.
    var lookCount = 0
    var stale: [String] = []
    var stops = false
  }

  private let board = Locked(Board())
  private let mount: MountedDevice
  private let world: Locked<FileWorld>
  private let kept: InodeID
  private let thread = Locked<Linux.Thread?>(nil)
  private static let countMax = 1 << 16

  init(_ mount: MountedDevice, _ content: [UInt8]) throws {
    self.mount = mount
    let folder = mount.directory + "/d"
    try Files.makeDirectory(folder)
    try Files.write(folder + "/f", content)
    guard let inode = mount.withDevice({ $0.live.resolve("/d/f") }) else {
      throw SystemError(call: "open", subject: "/d/f", code: ENOENT)
    }
    kept = inode
    world = Locked(try FileWorld(at: mount.directory))
    _ = world.withLock { $0.perform(.open(1, "d/f", flags: O_RDONLY, mode: 0)) }
    board.withLock { $0.truth = stored() }
    let thread = try Linux.Thread("watch") { [self] in
      while look() {}
    }
    self.thread.withLock { $0 = thread }
  }

  /// Makes every look once.
  ///
  /// - Returns: `false` when it is to stop.
  private func look() -> Bool {
    for look in Look.allCases {
      let before = board.withLock { $0.version }
      let seen = world.withLock { Self.see(look, at: $0) }
      let goes = board.withLock { board in
        guard board.version == before, before.isMultiple(of: 2) else { return !board.stops }
        board.lookCount += 1
        if let truth = board.truth[look], truth != seen {
          board.stale.append("\(look) in version \(before / 2): \(seen), not \(truth)")
        }
        return !board.stops
      }
      if !goes { return false }
    }
    return true
  }

  private static func see(_ look: Look, at world: FileWorld) -> Outcome {
    switch look {
    case .status: return world.perform(.status("d/f", follows: true))
    case .read:
      let opened = world.perform(.open(0, "d/f", flags: O_RDONLY, mode: 0))
      return opened.error != 0
        ? opened : world.perform(.readAt(0, count: countMax, offset: 0))
    case .list: return world.perform(.list("d"))
    case .keptRead: return world.perform(.readAt(1, count: countMax, offset: 0))
    case .keptStatus: return world.perform(.statusOf(1))
    }
  }

  /// What the device holds, without the kernel.
  private func stored() -> [Look: Outcome] {
    mount.withDevice { device in
      let folder = device.live.resolve("/d")
      let isFile = folder.map { device.live[$0]?.kind == .file } ?? false
      let missing = Outcome(error: isFile ? ENOTDIR : ENOENT)
      var truth: [Look: Outcome] = [:]
      let file = device.live.resolve("/d/f")
      truth[.status] = file.map { Self.status(of: $0, device) } ?? missing
      truth[.read] = file.map { Self.content(of: $0, device) } ?? missing
      truth[.list] = isFile ? missing : folder.map { Self.names(in: $0, device) } ?? missing
      if device.live[kept] != nil {
        truth[.keptRead] = Self.content(of: kept, device)
        truth[.keptStatus] = Self.status(of: kept, device)
      }
      return truth
    }
  }

  private static func names(in folder: InodeID, _ device: StorageDevice) -> Outcome {
    Outcome(names: ([".", ".."] + device.live.list(folder).map { "\($0.name)" }).sorted())
  }

  private static func status(of file: InodeID, _ device: StorageDevice) -> Outcome {
    guard let attributes = device.live.attributes(of: file) else { return Outcome(error: ESTALE) }
    return Outcome(values: [
      Int(S_IFREG) | Int(attributes.mode), attributes.linkCount, attributes.sizeBytes,
    ])
  }

  private static func content(of file: InodeID, _ device: StorageDevice) -> Outcome {
    let bytes = device.live[file]?.read(at: 0, count: countMax) ?? []
    return Outcome(content: Outcome.Content(bytes: bytes))
  }

  /// Injects something, and waits until the thread has looked at what is then.
  ///
  /// - Parameters:
  ///   - failing: Looks that must now get an error, whatever is stored.
  ///   - ignoring: Looks that may now see anything.
  ///   - inject: Returns when the injection is acknowledged.
  /// - Returns: Whether something else is to be seen than before.
  /// - Throws: What `inject` throws.
  func during(
    failing: [Look: Int32] = [:], ignoring: [Look] = [], _ inject: () throws -> Void
  ) throws -> Bool {
    let before = board.withLock { board in
      board.version += 1
      return board.truth
    }
    try inject()
    var truth = stored()
    for (look, error) in failing { truth[look] = Outcome(error: error) }
    for look in ignoring { truth[look] = nil }
    board.withLock { board in
      board.version += 1
      board.truth = truth
      board.lookCount = 0
    }
    let looked = board.wait(timeoutMs: 20_000) { board in
      board.lookCount >= 2 * Look.allCases.count ? true : nil
    }
    return looked == true && truth != before
  }

  /// Ends the thread.
  ///
  /// - Returns: Every look that saw what is not so.
  func end() -> [String] {
    board.withLock { $0.stops = true }
    thread.withLock { $0 }?.join()
    return board.withLock { $0.stale }
  }
}
