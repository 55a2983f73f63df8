import Device
import Linux

/// Walks over the crash states of ``CrashWorkload``.
enum StateWork {
  /// What some states took.
  struct Walked {
    var ns = 0.0
    var stateCount = 0
    var images: Set<ImageDigest> = []

    var nsEach: Double { ns / Double(stateCount) }
  }

  /// Walks, with the preparation.
  ///
  /// - Parameters:
  ///   - device: Whose power is cut.
  ///   - tears: Which writes may arrive in part.
  ///   - countMax: As `CutWalk` has it.
  ///   - limit: How many states are visited; `nil` for all.
  ///   - keepsImages: Whether the images are told apart, as an exploration does.
  /// - Returns: What it took, and the images if they were told apart.
  static func walk(
    _ device: StorageDevice, tears: CutWalk.Tears, countMax: Int = 1 << 40, limit: Int? = nil,
    keepsImages: Bool = false
  ) -> Walked {
    var walked = Walked()
    let start = Clocks.threadNs
    var walk = CutWalk(device, tears: tears, countMax: countMax, seed: ExplorationSuite.seed)
    while walked.stateCount < limit ?? .max, let digest = walk.next() {
      walked.stateCount += 1
      if keepsImages { walked.images.insert(digest) }
    }
    walked.ns = Double(Clocks.threadNs - start)
    return walked
  }

  /// Nanoseconds until a walk is ready.
  static func preparation(_ device: StorageDevice) -> Double {
    let start = Clocks.threadNs
    let walk = CutWalk(device, countMax: 1 << 40, seed: ExplorationSuite.seed)
    let end = Clocks.threadNs
    return walk.choiceCount == 0 ? .nan : Double(end - start)
  }

  /// By how many bytes the heap grows between the first state and the last of a walk, for each state.
  static func heapGrowth(_ device: StorageDevice, limit: Int) -> Double {
    var walk = CutWalk(
      device, tears: .none, countMax: 1 << 40, seed: ExplorationSuite.seed)
    var count = walk.next() == nil ? 0 : 1
    let before = Heap.bytesInUse
    while count < limit, walk.next() != nil { count += 1 }
    return Double(Heap.bytesInUse - before) / Double(count)
  }
}
