import Device

/// A naive model of what a power cut may leave, written apart from the device: one flat directory,
/// files as plain bytes, every change a line in one list, every subset of the list tried.
struct CrashOracle {
  enum Step: Equatable {
    case create(String)
    case write(String, at: Int, UInt8, count: Int)
    case truncate(String, to: Int)
    case rename(String, String)
    case unlink(String)
    case sync(String)
    case syncDirectory
  }

  /// The smallest thing that survives or not: bytes of one sector, or a change of name or length.
  struct Micro {
    enum Change {
      case bytes(file: Int, at: Int, [UInt8])
      case size(file: Int, from: Int, to: Int)
      case add(String, file: Int)
      case remove(String, file: Int)
    }
    let change: Change
    let operation: Int

    var isData: Bool { if case .bytes = change { true } else { false } }
    var file: Int? {
      switch change {
      case .bytes(let file, _, _), .size(let file, _, _): file
      case .add, .remove: nil
      }
    }
  }

  struct State {
    var names: [String: Int] = [:]
    var sizes: [Int: Int] = [:]
    var bytes: [Int: [UInt8]] = [:]

    mutating func apply(_ change: Micro.Change) {
      switch change {
      case .bytes(let file, let start, let values):
        var content = bytes[file] ?? []
        let missing = start + values.count - content.count
        if missing > 0 { content += [UInt8](repeating: 0, count: missing) }
        content.replaceSubrange(start..<start + values.count, with: values)
        bytes[file] = content
      case .size(let file, let from, let to):
        if to < from, let content = bytes[file] { bytes[file] = Array(content.prefix(to)) }
        sizes[file] = to
      case .add(let name, let file): names[name] = file
      case .remove(let name, let file): if names[name] == file { names[name] = nil }
      }
    }

    /// What a reader sees.
    var image: [String: [UInt8]] {
      names.mapValues { file in
        let size = sizes[file] ?? 0
        let content = (bytes[file] ?? []).prefix(size)
        return content + [UInt8](repeating: 0, count: size - content.count)
      }
    }
  }

  let profile: PersistenceProfile
  private(set) var live = State()
  private(set) var durable = State()
  private(set) var pending: [Micro] = []
  private var operation = 0
  private var fileCount = 0

  init(_ profile: PersistenceProfile) {
    self.profile = profile
  }

  mutating func perform(_ step: Step) {
    operation += 1
    switch step {
    case .create(let name):
      guard live.names[name] == nil else { return }
      fileCount += 1
      commit(.add(name, file: fileCount))
    case .write(let name, let start, let value, let count):
      guard let file = live.names[name] else { return }
      for sector in start / 512...(start + count - 1) / 512 {
        let from = max(start, sector * 512)
        let to = min(start + count, (sector + 1) * 512)
        commit(.bytes(file: file, at: from, [UInt8](repeating: value, count: to - from)))
      }
      let size = live.sizes[file] ?? 0
      if start + count > size { commit(.size(file: file, from: size, to: start + count)) }
    case .truncate(let name, let size):
      guard let file = live.names[name] else { return }
      commit(.size(file: file, from: live.sizes[file] ?? 0, to: size))
    case .rename(let name, let target):
      guard let file = live.names[name], name != target else { return }
      commit(.remove(name, file: file))
      commit(.add(target, file: file))
    case .unlink(let name):
      guard let file = live.names[name] else { return }
      commit(.remove(name, file: file))
    case .sync(let name):
      guard let file = live.names[name] else { return }
      sync(file)
    case .syncDirectory: syncDirectory()
    }
  }

  private mutating func commit(_ change: Micro.Change) {
    live.apply(change)
    if profile == .strict {
      durable.apply(change)
    } else {
      pending.append(Micro(change: change, operation: operation))
    }
  }

  private mutating func persist(where covers: (Int, Micro) -> Bool) {
    let chosen = pending.enumerated().filter { covers($0.offset, $0.element) }
    for (_, micro) in chosen { durable.apply(micro.change) }
    let gone = Set(chosen.map(\.offset))
    pending = pending.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
  }

  private mutating func sync(_ file: Int) {
    switch profile {
    case .posixWeak: persist { $1.file == file }
    case .ordered: commitJournal(with: file)
    case .atomicItem: persist { _, _ in true }
    default: break
    }
  }

  private mutating func syncDirectory() {
    switch profile {
    case .posixWeak: persist { $1.file == nil }
    case .ordered: commitJournal(with: nil)
    case .atomicItem: persist { _, _ in true }
    default: break
    }
  }

  private mutating func commitJournal(with synced: Int?) {
    let all = pending
    persist { index, micro in
      if micro.file == synced, synced != nil { return true }
      guard micro.isData else { return true }
      // Data goes along when a later change of length of its file does.
      return all[(index + 1)...].contains { !$0.isData && $0.file == micro.file }
    }
  }

  /// Every image that the profile allows now.
  ///
  /// - Complexity: O(2ⁿ) for *n* pending changes.
  func legalImages() -> Set<[String: [UInt8]]> {
    precondition(pending.count <= 16, "the oracle tries every subset")
    var images: Set<[String: [UInt8]]> = []
    for mask in 0..<(1 << pending.count) {
      let kept = pending.indices.filter { mask & (1 << $0) != 0 }
      guard isLegal(Set(kept)) else { continue }
      var state = durable
      for index in kept { state.apply(pending[index].change) }
      images.insert(state.image)
    }
    return images
  }

  private func isLegal(_ kept: Set<Int>) -> Bool {
    switch profile {
    case .posixWeak, .fsyncLies: return true
    case .atomicItem: return kept.isEmpty || kept.count == pending.count
    default: return keepsOrder(kept) && keepsGrowth(kept) && losesFreed(kept)
    }
  }

  /// No name or length survives a lost one before it, nor half of its own operation.
  private func keepsOrder(_ kept: Set<Int>) -> Bool {
    let names = pending.indices.filter { !pending[$0].isData }
    return names.allSatisfy { index in
      !kept.contains(index)
        || names.allSatisfy {
          pending[$0].operation > pending[index].operation || kept.contains($0)
        }
    }
  }

  /// Where a shrinking is lost, the pages past its end keep the bytes from before it.
  private func losesFreed(_ kept: Set<Int>) -> Bool {
    pending.indices.allSatisfy { index in
      guard !kept.contains(index), case .size(let file, let from, let to) = pending[index].change,
        to < from
      else { return true }
      return kept.allSatisfy { later in
        guard later > index, case .bytes(file, let start, _) = pending[later].change else {
          return true
        }
        return start / 4_096 * 4_096 < to
      }
    }
  }

  /// Bytes between the length before and after a growth that survives, survive too.
  private func keepsGrowth(_ kept: Set<Int>) -> Bool {
    kept.allSatisfy { index in
      guard case .size(let file, let from, let to) = pending[index].change, to > from else {
        return true
      }
      return pending.indices.prefix(index).allSatisfy { earlier in
        guard case .bytes(file, let start, let values) = pending[earlier].change,
          isSamePageRun(earlier, reaching: from, to, start, values.count)
        else { return true }
        return kept.contains(earlier)
      }
    }
  }

  /// The kernel writes a page of one write back as one: its sectors before the old end go with
  /// those after it.
  private func isSamePageRun(
    _ index: Int, reaching from: Int, _ to: Int, _ start: Int, _ count: Int
  ) -> Bool {
    let page = start / 4_096
    let run = pending.indices.filter { other in
      guard case .bytes(pending[index].file, let otherStart, _) = pending[other].change else {
        return false
      }
      return pending[other].operation == pending[index].operation && otherStart / 4_096 == page
    }
    return run.contains { other in
      guard case .bytes(_, let otherStart, let values) = pending[other].change else { return false }
      return otherStart < to && otherStart + values.count > from
    }
  }
}
