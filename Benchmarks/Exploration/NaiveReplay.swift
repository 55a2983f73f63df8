/// Crash states as one would first write them: files are arrays in dictionaries, and each state is the
/// durable one, copied, with the changes that survive made again, and hashed whole.
struct NaiveReplay {
  private enum Change {
    case bytes(file: Int, at: Int, [UInt8])
    case size(file: Int, Int)
    case add(String, file: Int)
    case remove(String, file: Int)
  }

  private struct State {
    var names: [String: Int] = [:]
    var sizes: [Int: Int] = [:]
    var files: [Int: [UInt8]] = [:]
  }

  private var durable = State()
  private var live = State()
  private var changes: [Change] = []

  init(_ workload: CrashWorkload) {
    for step in workload.settled { perform(step) }
    durable = live
    changes = []
    for step in workload.pending { perform(step) }
  }

  /// How many states there are.
  var stateCount: Int { 1 << changes.count }

  /// Makes each state.
  ///
  /// - Returns: How many of them differ.
  func imageCount() -> Int {
    var images: Set<Int> = []
    for bits in 0..<stateCount {
      var state = durable
      for (index, change) in changes.enumerated() where bits >> index & 1 == 1 {
        Self.apply(change, to: &state)
      }
      images.insert(Self.hash(of: state))
    }
    return images.count
  }

  private static func hash(of state: State) -> Int {
    var hasher = Hasher()
    for (name, file) in state.names.sorted(by: { $0.key < $1.key }) {
      let size = state.sizes[file] ?? 0
      var content = (state.files[file] ?? []).prefix(size)
      content += [UInt8](repeating: 0, count: size - content.count)
      hasher.combine(name)
      hasher.combine(content)
    }
    return hasher.finalize()
  }

  private mutating func perform(_ step: CrashWorkload.Step) {
    switch step {
    case .create(let name): commit(.add(name, file: live.sizes.count), size: 0)
    case .write(let name, let offset, let bytes):
      guard let file = live.names[name] else { return }
      commit(.bytes(file: file, at: offset, bytes))
      if offset + bytes.count > live.sizes[file] ?? 0 {
        commit(.size(file: file, offset + bytes.count))
      }
    case .rename(let name, let target):
      guard let file = live.names[name] else { return }
      commit(.remove(name, file: file))
      commit(.add(target, file: file))
    }
  }

  /// A size is that of the file which a new name leads to, in every state.
  private mutating func commit(_ change: Change, size: Int? = nil) {
    Self.apply(change, to: &live)
    if let size, case .add(_, let file) = change { live.sizes[file] = size }
    changes.append(change)
  }

  private static func apply(_ change: Change, to state: inout State) {
    switch change {
    case .bytes(let file, let start, let bytes):
      var content = state.files.removeValue(forKey: file) ?? []
      let missing = start + bytes.count - content.count
      if missing > 0 { content += [UInt8](repeating: 0, count: missing) }
      content.replaceSubrange(start..<start + bytes.count, with: bytes)
      state.files[file] = content
    case .size(let file, let size): state.sizes[file] = size
    case .add(let name, let file): state.names[name] = file
    case .remove(let name, let file): if state.names[name] == file { state.names[name] = nil }
    }
  }
}
