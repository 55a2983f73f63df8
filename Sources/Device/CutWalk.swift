/// A walk over the images that a power cut now may leave, one choice after the other.
///
/// Each domain is cut by itself; what is chosen says ``CutSpace``. Within one choice of what is ordered
/// and torn, the other changes go through all subsets in the order of a Gray code, so that each step
/// changes one fate and with it a few terms of the digest. A step allocates nothing. The digest is
/// that of ``StorageDevice/crashState(_:)`` for ``survivors``, always.
package struct CutWalk: Sendable {
  /// Which writes may arrive in part.
  package enum Tears: Sendable {
    case none
    /// Of each domain at most one, any; see ``CutSpace``.
    case oneInEachDomain
  }

  /// How many choices there are, before the first is looked at; several may leave one image. `nil`
  /// for more than can be counted.
  package let choiceCount: Int?
  /// Whether every choice is visited; else both ends are, and a sample.
  package let isExhaustive: Bool

  private let space: CutSpace
  private var image: CutImage
  private var draws: Draws
  /// How many states are still to come, when they are drawn.
  private var drawsLeft: Int
  private var frame: CutFrame
  /// Changes without an order, the one that is cheapest to change first.
  private let free: ContiguousArray<Int>
  /// Those that the frame leaves to choose.
  private var active: ContiguousArray<Int> = []
  /// How many states of the frame, or drawn ones, have been visited.
  private var step: UInt64 = 0

  /// Prepares a walk.
  ///
  /// - Parameters:
  ///   - device: The device whose power is cut.
  ///   - tears: Which writes may arrive in part.
  ///   - countMax: How many choices are visited; more than that are sampled.
  ///   - seed: The start of the sample.
  /// - Complexity: O(*n*) for all reachable bytes and the bytes of pending changes.
  package init(
    _ device: StorageDevice, tears: Tears = .oneInEachDomain, countMax: Int, seed: UInt64
  ) {
    let changes = device.pending.ordered
    space = CutSpace(changes, device.domains, tears: tears)
    choiceCount = space.count
    isExhaustive = choiceCount.map { $0 <= countMax } ?? false
    let image = CutImage(device, changes, splitsSectors: tears != .none)
    free = ContiguousArray(
      space.domains.flatMap(\.free).sorted { (image.costs[$0], $0) < (image.costs[$1], $1) })
    self.image = image
    draws = Draws(seed: seed)
    drawsLeft = countMax
    frame = CutFrame(domainCount: space.domains.count)
    active.reserveCapacity(changes.count)
  }

  /// Goes to the next choice.
  ///
  /// - Returns: The digest of the image that it leaves; `nil` after the last.
  /// - Complexity: O(*s*) for the sectors of one change, but O(*n*) for all that is pending at the
  ///   first choice of each frame, at every drawn one, and where a directory gains or loses a name,
  ///   O(*p*) for all paths.
  package mutating func next() -> ImageDigest? {
    guard isExhaustive else { return nextDrawn() }
    if step == 0 || step == 1 << UInt64(active.count) {
      guard step == 0 || frame.advance(in: space) else { return nil }
      enterFrame()
      image.evaluate()
      step = 1
    } else {
      image.toggle(active[step.trailingZeroBitCount])
      step &+= 1
    }
    return ImageDigest(image.sum)
  }

  /// The choice under the walk, as ``StorageDevice/crashState(_:)`` takes it.
  ///
  /// - Complexity: O(*n*) for *n* pending changes.
  package var survivors: Survivors {
    let torn = frame.tears(in: space)
    let whole = image.asked.indices.filter { image.asked[$0] == .kept }
    return torn.reduce(.kept(Set(whole).subtracting(torn.flatMap(\.members)))) {
      .partial($1.write, rest: $0)
    }
  }

  /// What the image under the walk shows of its files, without being made.
  package struct Outline: Sendable {
    /// A hash of all names but those in the folders that are apart.
    package var names: ImageDigest
    /// A hash of these folders, with all that they hold.
    package var apart: ImageDigest
    /// A hash of each file by itself, wherever it is.
    package var files: [UInt128]
  }

  /// A path in an image, to be looked up in many.
  package struct Place: Sendable {
    let hash: UInt128

    package init(_ path: String) {
      hash = path.utf8.split(separator: UInt8(ascii: "/")).reduce(ImageHash.root) {
        ImageHash.place(of: FileName(Array($1)), below: $0)
      }
    }
  }

  /// Looks at the image under the walk.
  ///
  /// - Parameter folders: Those that are apart.
  /// - Returns: What it shows; `nil` where a file has several names, or one of the folders another one
  ///   in it.
  /// - Complexity: O(*n*) for all names.
  package func outline(apart folders: [Place]) -> Outline? {
    image.outline(apart: folders.map(\.hash))
  }

  /// A hash of a file of the image under the walk, but for its name; zero for no file.
  ///
  /// - Complexity: O(*n*) for all names.
  package func hash(at place: Place) -> UInt128 { image.hash(at: place.hash) }

  private mutating func nextDrawn() -> ImageDigest? {
    guard drawsLeft > 0 else { return nil }
    drawsLeft -= 1
    switch step {
    case 0: enterFrame()
    case 1:
      frame.goToEnd(of: space)
      enterFrame()
      for change in active { image.request(change, true) }
    default:
      frame.draw(&draws, from: space)
      enterFrame()
      for change in active { image.request(change, draws.below(2) == 1) }
    }
    step &+= 1
    image.evaluate()
    return ImageDigest(image.sum)
  }

  /// Asks the image for what the frame keeps; what it leaves to choose is lost.
  private mutating func enterFrame() {
    image.loseAll()
    for change in space.unseen { image.request(change, true) }
    for (home, domain) in space.domains.enumerated() {
      for group in domain.groups.prefix(frame.prefixes[home]) {
        for change in group { image.request(change, true) }
      }
      guard let tear = frame.tear(of: home, in: space) else { continue }
      image.tear(tear)
      image.keepOrder(domain.groups)
    }
    active.removeAll(keepingCapacity: true)
    for change in free where !isTorn(change) { active.append(change) }
  }

  private func isTorn(_ change: Int) -> Bool {
    for home in space.domains.indices {
      if let tear = frame.tear(of: home, in: space), tear.members.contains(change) { return true }
    }
    return false
  }
}

/// A choice of what is ordered and what is torn, in every domain.
struct CutFrame: Sendable {
  /// How many groups survive.
  private(set) var prefixes: ContiguousArray<Int>
  /// Which tear, counted from 1; 0 for none.
  private var tears: ContiguousArray<Int>

  init(domainCount: Int) {
    prefixes = ContiguousArray(repeating: 0, count: domainCount)
    tears = prefixes
  }

  func tear(of home: Int, in space: CutSpace) -> CutSpace.Tear? {
    tears[home] == 0 ? nil : space.domains[home].tears[tears[home] - 1]
  }

  func tears(in space: CutSpace) -> [CutSpace.Tear] {
    tears.indices.compactMap { tear(of: $0, in: space) }
  }

  /// - Returns: Whether there was another one.
  mutating func advance(in space: CutSpace) -> Bool {
    for (home, domain) in space.domains.enumerated() {
      tears[home] += 1
      if tears[home] <= domain.tears.count { return true }
      tears[home] = 0
      prefixes[home] += 1
      if prefixes[home] <= domain.groups.count { return true }
      prefixes[home] = 0
    }
    return false
  }

  mutating func goToEnd(of space: CutSpace) {
    for (home, domain) in space.domains.enumerated() {
      prefixes[home] = domain.groups.count
      tears[home] = 0
    }
  }

  /// Any one; half of those of a domain have no tear.
  mutating func draw(_ draws: inout Draws, from space: CutSpace) {
    for (home, domain) in space.domains.enumerated() {
      prefixes[home] = draws.below(domain.groups.count + 1)
      tears[home] = max(0, draws.below(2 * domain.tears.count + 1) - domain.tears.count)
    }
  }
}
