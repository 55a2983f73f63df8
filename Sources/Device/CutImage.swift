/// One image that a power cut may leave, as a digest that follows the fates of pending changes.
///
/// Bends fates to what the profiles allow as ``CrashChoice`` does. Nothing here allocates once it is
/// made.
struct CutImage: Sendable {
  /// ``Fate``, in the form of a number or two.
  enum Asked: Equatable, Sendable {
    case lost, kept
    case sectors(Range<Int>)
    case cut(to: Int)
  }

  private struct UnitState: Sendable {
    var sizeBytes = 0
    var body: UInt128 = 0
    var hash: UInt128 = 0
    /// Of a directory, where the walk through the tree found it; 0 where it did not.
    var place: UInt128 = 0
  }

  private struct SlotState: Sendable {
    /// The unit that it leads to; -1 for none.
    var target = -1
    /// 0 while nothing leads to its directory.
    var place: UInt128 = 0
    var term: UInt128 = 0
  }

  /// The digest.
  private(set) var sum: UInt128 = 0
  /// What becomes of each change, but for the data that a length takes along or leaves behind.
  private(set) var asked: ContiguousArray<Asked>
  /// How much work it is to change the fate of a change.
  let costs: ContiguousArray<Int>

  private let tables: CutTables
  private let movesDirectories: Bool
  /// Slots whose term may change.
  private var liveSlots: ContiguousArray<Int> = []
  /// The sum of the terms of all others.
  private var rest: UInt128 = 0

  private var units: ContiguousArray<UnitState>
  private var slots: ContiguousArray<SlotState>
  private var cells: ContiguousArray<UInt128>
  /// By change of data, which of its sectors arrive.
  private var shown: ContiguousArray<Range<Int>>
  /// Whether a length decides what is shown of a change of data.
  private var isBound: ContiguousArray<Bool>
  /// By change of length, from where on it leaves nothing behind it.
  private var dropsFrom: ContiguousArray<Int>
  private var directories: ContiguousArray<Int>

  init(_ device: StorageDevice, _ changes: [PendingChange], splitsSectors: Bool) {
    let tables = CutTables(device, changes, splitsSectors: splitsSectors)
    self.tables = tables
    movesDirectories = tables.movesDirectories
    costs = ContiguousArray(changes.indices.map { tables.cost(of: $0) })
    asked = ContiguousArray(repeating: .lost, count: changes.count)
    shown = ContiguousArray(repeating: 0..<0, count: changes.count)
    isBound = ContiguousArray(repeating: false, count: changes.count)
    dropsFrom = ContiguousArray(repeating: .max, count: changes.count)
    units = ContiguousArray(repeating: UnitState(), count: tables.units.count)
    slots = ContiguousArray(repeating: SlotState(), count: tables.slots.count)
    cells = ContiguousArray(repeating: 0, count: tables.cells.count)
    directories = ContiguousArray(repeating: 0, count: tables.units.count)
    prepare()
  }

  /// Looks once at what no change may alter.
  private mutating func prepare() {
    for unit in units.indices { settle(unit) }
    liveSlots = ContiguousArray(slots.indices)
    evaluateNames()
    guard !movesDirectories else { return }
    var isPending = ContiguousArray(repeating: false, count: slots.count)
    for slot in slots.indices where !tables.slots[slot].layers.isEmpty { isPending[slot] = true }
    for unit in tables.pendingUnits {
      for slot in tables.slotsOfUnits[tables.units[unit].slots] { isPending[slot] = true }
    }
    liveSlots.removeAll { !isPending[$0] }
    for slot in slots.indices where !isPending[slot] { rest &+= slots[slot].term }
  }

  // MARK: - Asking

  mutating func loseAll() {
    for change in asked.indices { asked[change] = .lost }
  }

  mutating func request(_ change: Int, _ isKept: Bool) {
    asked[change] = isKept ? .kept : .lost
  }

  /// Lets a write arrive in part, and with it what is bound to it.
  mutating func tear(_ tear: CutSpace.Tear) {
    for (change, fate) in zip(tear.members, tear.asked) { asked[change] = fate }
  }

  /// Loses what comes after the first of some groups that does not survive whole, and that one as
  /// well unless a part of it does.
  mutating func keepOrder(_ groups: [[Int]]) {
    var isBroken = false
    for group in groups {
      if !isBroken, let first = group.first(where: { asked[$0] != .kept }) {
        isBroken = true
        if asked[first] != .lost { continue }
      }
      guard isBroken else { continue }
      for change in group { asked[change] = .lost }
    }
  }

  // MARK: - Evaluating

  /// Makes the digest that of what was asked.
  mutating func evaluate() {
    for change in asked.indices { shown[change] = sectors(of: asked[change]) }
    for index in tables.pendingUnits.indices { settle(tables.pendingUnits[index]) }
    evaluateNames()
  }

  /// Turns the fate of one change, which must be lost or kept, and the digest with it.
  mutating func toggle(_ change: Int) {
    asked[change] = asked[change] == .lost ? .kept : .lost
    switch tables.effects[change] {
    case .none: break
    case .cells(let unit, let range):
      guard !isBound[change] else { return }
      shown[change] = sectors(of: asked[change])
      let sizeBytes = units[unit].sizeBytes
      var body = units[unit].body
      for index in range {
        let cell = tables.cellsOfChanges[index]
        let value = value(of: cell, sizeBytes: sizeBytes)
        body = body &+ value &- cells[cell]
        cells[cell] = value
      }
      units[unit].body = body
      noteHash(of: unit)
      refreshSlots(of: unit)
    case .size(let unit):
      settle(unit)
      refreshSlots(of: unit)
    case .slot(let slot):
      if tables.slots[slot].movesDirectory {
        evaluateNames()
      } else {
        slots[slot].target = target(of: slot)
        refresh(slot)
      }
    }
  }

  private func sectors(of fate: Asked) -> Range<Int> {
    switch fate {
    case .lost, .cut: 0..<0
    case .kept: 0..<Int.max
    case .sectors(let range): range
    }
  }

  // MARK: - Inodes

  /// Follows the changes of length of an inode, and what they do to its data.
  private mutating func settle(_ unit: Int) {
    followLengths(of: unit)
    for index in tables.units[unit].data {
      let change = tables.data[index].change
      isBound[change] = false
      shown[change] = sectors(of: asked[change])
    }
    if tables.units[unit].dataBeforeSize {
      loseDataOfFreedBlocks(unit)
      keepDataOfGrownFile(unit)
    }
    let sizeBytes = units[unit].sizeBytes
    var body = tables.units[unit].rest
    for cell in tables.units[unit].cells {
      let value = value(of: cell, sizeBytes: sizeBytes)
      cells[cell] = value
      body &+= value
    }
    units[unit].body = body
    noteHash(of: unit)
  }

  private mutating func followLengths(of unit: Int) {
    var length = tables.units[unit].sizeBytes
    for index in tables.units[unit].sizes {
      let size = tables.sizes[index]
      guard let reached = reached(by: size) else {
        dropsFrom[size.change] = .max
        continue
      }
      dropsFrom[size.change] = reached < max(size.from, length) ? reached : .max
      length = reached
    }
    units[unit].sizeBytes = length
  }

  /// The length that a change of it leads to; `nil` where it is lost.
  private func reached(by size: CutTables.SizeChange) -> Int? {
    switch asked[size.change] {
    case .lost, .sectors: nil
    case .kept: size.to
    case .cut(let length): length
    }
  }

  private mutating func loseDataOfFreedBlocks(_ unit: Int) {
    for index in tables.units[unit].sizes {
      let size = tables.sizes[index]
      guard asked[size.change] != .kept, size.to < size.from else { continue }
      let firstFreed = (size.to + Inode.pageBytes - 1) / Inode.pageBytes
      for index in tables.units[unit].data {
        let data = tables.data[index]
        guard data.change > size.change, let page = data.page, page >= firstFreed else { continue }
        bind(data.change, showing: 0..<0)
      }
    }
  }

  private mutating func keepDataOfGrownFile(_ unit: Int) {
    var known: Int?
    for index in tables.units[unit].sizes {
      let size = tables.sizes[index]
      let former = known ?? size.from
      let length = reached(by: size) ?? former
      known = length
      guard length > former else { continue }
      let isWhole = asked[size.change] == .kept
      for index in tables.units[unit].data {
        let data = tables.data[index]
        guard data.change < size.change else { break }
        guard data.page != nil, data.range.lowerBound < length, data.range.upperBound > former,
          isWhole || data.operation != size.operation
        else { continue }
        bind(data.change, showing: 0..<Int.max)
      }
    }
  }

  private mutating func bind(_ change: Int, showing sectors: Range<Int>) {
    isBound[change] = true
    shown[change] = sectors
  }

  /// The value of the newest layer that survives.
  private func value(of index: Int, sizeBytes: Int) -> UInt128 {
    let cell = tables.cells[index]
    if cell.start >= sizeBytes { return 0 }
    var next = cell.layers.upperBound
    while next > cell.layers.lowerBound {
      next -= 1
      let layer = tables.layers[next]
      let shows =
        layer.isLength
        ? dropsFrom[layer.change] <= cell.start : shown[layer.change].contains(layer.sector)
      if shows { return layer.value }
    }
    return cell.base
  }

  private mutating func noteHash(of unit: Int) {
    units[unit].hash = Inode.imageHash(
      tables.units[unit].kind, sizeBytes: units[unit].sizeBytes, body: units[unit].body)
  }

  // MARK: - Names

  private mutating func refreshSlots(of unit: Int) {
    for index in tables.units[unit].slots {
      let slot = tables.slotsOfUnits[index]
      if slots[slot].target == unit { refresh(slot) }
    }
  }

  /// Sets the term of a slot whose place is known.
  private mutating func refresh(_ slot: Int) {
    let state = slots[slot]
    let term =
      state.target < 0 || state.place == 0
      ? 0 : ImageHash.pair(state.place, units[state.target].hash)
    sum = sum &+ term &- state.term
    slots[slot].term = term
  }

  private func target(of slot: Int) -> Int {
    var target = tables.slots[slot].base
    for index in tables.slots[slot].layers {
      let layer = tables.slotLayers[index]
      guard asked[layer.change] == .kept else { continue }
      if layer.isAddition {
        target = layer.target
      } else if target == layer.target {
        target = -1
      }
    }
    return target
  }

  private mutating func evaluateNames() {
    sum = rest
    for index in liveSlots.indices {
      let slot = liveSlots[index]
      slots[slot].target = target(of: slot)
      slots[slot].term = 0
    }
    if liveSlots.count == slots.count { findPlaces() }
    for index in liveSlots.indices { refresh(liveSlots[index]) }
  }

  /// Goes through the tree, in the order of ``Volume/renumbered(from:)``.
  private mutating func findPlaces() {
    for unit in units.indices { units[unit].place = 0 }
    for slot in slots.indices { slots[slot].place = 0 }
    units[0].place = ImageHash.root
    slots[0].place = ImageHash.root
    directories[0] = 0
    var count = 1
    while count > 0 {
      count -= 1
      let directory = directories[count]
      for index in tables.units[directory].entries {
        let slot = tables.slotsOfDirectories[index]
        let place = ImageHash.pair(units[directory].place, tables.slots[slot].name)
        let target = slots[slot].target
        if target >= 0, tables.units[target].kind == .directory {
          guard units[target].place == 0 else { continue }
          units[target].place = place
          directories[count] = target
          count += 1
        }
        slots[slot].place = place
      }
    }
  }
}

// MARK: - Looking

extension CutImage {
  /// What ``CutWalk/outline(apart:)`` says.
  func outline(apart folders: [UInt128]) -> CutWalk.Outline? {
    var (names, apart): (UInt128, UInt128) = (0, 0)
    var files: [UInt128] = []
    for slot in slots.indices where slots[slot].place != 0 && slots[slot].target >= 0 {
      let (target, directory) = (slots[slot].target, tables.slots[slot].directory)
      let kind = tables.units[target].kind
      let isApart = directory >= 0 && folders.contains(units[directory].place)
      if kind == .directory {
        if isApart { return nil }
      } else {
        guard nameCount(of: target) == 1 else { return nil }
        if kind == .file { files.append(units[target].hash) }
      }
      if isApart {
        apart &+= slots[slot].term
      } else {
        names &+= ImageHash.pair(slots[slot].place, UInt128(kind.rawValue))
      }
    }
    return CutWalk.Outline(names: ImageDigest(names), apart: ImageDigest(apart), files: files)
  }

  private func nameCount(of unit: Int) -> Int {
    tables.units[unit].slots.count { slots[tables.slotsOfUnits[$0]].target == unit }
  }

  /// A hash of all that is at a place by itself; zero for nothing.
  func hash(at place: UInt128) -> UInt128 {
    let slot = slots.firstIndex { $0.place == place && $0.target >= 0 }
    return slot.map { units[slots[$0].target].hash } ?? 0
  }
}
