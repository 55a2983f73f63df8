/// Makes ``CutTables`` of a device and its pending changes.
struct CutTableBuilder {
  private let durable: Volume
  private let domains: [DurabilityDomain]
  private let changes: [PendingChange]
  private let splitsSectors: Bool
  /// Indices of changes, by the inode that they belong to.
  private let changesOf: [InodeID: [Int]]
  private var numbers: [InodeID: Int] = [:]
  private var found: [InodeID] = []
  private var cellsOfChange: [[Int]]

  init(_ device: StorageDevice, _ changes: [PendingChange], splitsSectors: Bool) {
    durable = device.durable
    domains = device.domains
    self.changes = changes
    self.splitsSectors = splitsSectors
    changesOf = Dictionary(grouping: changes.indices) { changes[$0].change.owner }
    cellsOfChange = changes.map { _ in [] }
  }

  mutating func fill(_ tables: inout CutTables) {
    guard let root = number(of: .root) else { return }
    tables.slots.append(CutTables.Slot(directory: -1, name: 0, base: root))
    var next = 0
    while next < found.count {
      addUnit(found[next], &tables)
      next += 1
    }
    for (change, cells) in cellsOfChange.enumerated() where !cells.isEmpty {
      let start = tables.cellsOfChanges.count
      tables.cellsOfChanges += cells
      guard let unit = numbers[changes[change].change.owner] else { continue }
      tables.effects[change] = .cells(unit: unit, start..<tables.cellsOfChanges.count)
    }
    linkSlots(&tables)
  }

  /// The position of an inode that may be reached, which is new if it was not known.
  private mutating func number(of id: InodeID) -> Int? {
    guard durable[id] != nil else { return nil }
    if let known = numbers[id] { return known }
    numbers[id] = found.count
    found.append(id)
    return found.count - 1
  }

  private mutating func addUnit(_ id: InodeID, _ tables: inout CutTables) {
    guard let inode = durable[id], let number = numbers[id] else { return }
    let members = changesOf[id] ?? []
    var unit = CutTables.Unit(
      kind: inode.kind, sizeBytes: inode.sizeBytes, rest: inode.bodyHash)
    addLengthsAndData(members, number, &unit, &tables)
    let firstCell = tables.cells.count
    addContent(of: inode, members, &tables)
    addAttributes(of: inode, members, &tables)
    unit.cells = firstCell..<tables.cells.count
    for cell in tables.cells[unit.cells] { unit.rest &-= cell.base }
    if !unit.cells.isEmpty || !unit.sizes.isEmpty { tables.pendingUnits.append(number) }
    addSlots(of: inode, members, number, &unit, &tables)
    tables.units.append(unit)
  }

  private func addLengthsAndData(
    _ members: [Int], _ number: Int, _ unit: inout CutTables.Unit, _ tables: inout CutTables
  ) {
    let (firstSize, firstData) = (tables.sizes.count, tables.data.count)
    for index in members {
      let operation = changes[index].operation
      switch changes[index].change {
      case .size(_, let from, let to):
        tables.sizes.append(.init(change: index, operation: operation, from: from, to: to))
        tables.effects[index] = .size(unit: number)
        unit.dataBeforeSize = domains[changes[index].domain].profile.dataBeforeSize
      case .data(_, let page, let offset, let bytes):
        let start = page * Inode.pageBytes + offset
        tables.data.append(
          .init(
            change: index, operation: operation, range: start..<start + bytes.count, page: page))
      case .hole(_, let range):
        tables.data.append(.init(change: index, operation: operation, range: range, page: nil))
      case .addEntry, .removeEntry, .attributes, .extendedAttribute: break
      }
    }
    unit.sizes = firstSize..<tables.sizes.count
    unit.data = firstData..<tables.data.count
  }

  // MARK: - Cells

  private mutating func addContent(
    of inode: Inode, _ members: [Int], _ tables: inout CutTables
  ) {
    let bounds = bounds(in: inode, members)
    guard bounds.count > 1 else { return }
    var layers = [[CutTables.Layer]](repeating: [], count: bounds.count - 1)
    for index in members {
      let covered: Range<Int>
      switch changes[index].change {
      case .data(_, let page, let offset, let bytes):
        let start = page * Inode.pageBytes + offset
        covered = start..<start + bytes.count
      case .hole(_, let range): covered = range
      case .size(_, let from, let to): covered = min(from, to)..<(bounds.last ?? 0)
      case .addEntry, .removeEntry, .attributes, .extendedAttribute: continue
      }
      var cell = Self.position(of: covered.lowerBound, in: bounds)
      while cell < layers.count, bounds[cell] < covered.upperBound {
        layers[cell].append(layer(of: index, from: bounds[cell], to: bounds[cell + 1]))
        cell += 1
      }
    }
    for (index, layers) in layers.enumerated() where !layers.isEmpty {
      let base = inode.contentHash(in: bounds[index]..<bounds[index + 1])
      add(CutTables.Cell(start: bounds[index], base: base), layers, &tables)
    }
  }

  /// Where cells may begin and end.
  private func bounds(in inode: Inode, _ members: [Int]) -> [Int] {
    var bounds: Set<Int> = []
    for index in members {
      switch changes[index].change {
      case .data(_, let page, let offset, let bytes):
        let start = page * Inode.pageBytes + offset
        let end = start + bytes.count
        bounds.formUnion([start, end])
        guard splitsSectors, !domains[changes[index].domain].profile.keepsItemsWhole else {
          continue
        }
        let sector = Inode.sectorBytes
        bounds.formUnion(stride(from: (start / sector + 1) * sector, to: end, by: sector))
      case .hole(_, let range): bounds.formUnion([range.lowerBound, range.upperBound])
      case .size(_, let from, let to): bounds.formUnion([from, to, inode.sizeBytes])
      case .addEntry, .removeEntry, .attributes, .extendedAttribute: break
      }
    }
    return bounds.sorted()
  }

  private static func position(of value: Int, in sorted: [Int]) -> Int {
    var range = 0..<sorted.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if sorted[middle] < value {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }

  private func layer(of index: Int, from start: Int, to end: Int) -> CutTables.Layer {
    let change = changes[index].change
    guard case .data(_, let page, let offset, let bytes) = change else {
      return CutTables.Layer(change: index, sector: 0, value: 0, isLength: change.isSize)
    }
    let first = page * Inode.pageBytes + offset
    return CutTables.Layer(
      change: index, sector: start / Inode.sectorBytes - first / Inode.sectorBytes,
      value: ImageHash.content(bytes[start - first..<end - first], at: start), isLength: false)
  }

  private mutating func addAttributes(
    of inode: Inode, _ members: [Int], _ tables: inout CutTables
  ) {
    var layers: [String: [CutTables.Layer]] = [:]
    for index in members {
      guard case .extendedAttribute(_, let name, let value) = changes[index].change else {
        continue
      }
      let hash = value.map { Inode.attributeHash(name, $0) } ?? 0
      layers[name, default: []].append(
        .init(change: index, sector: 0, value: hash, isLength: false))
    }
    for (name, layers) in layers.sorted(by: { $0.key < $1.key }) {
      let base = inode.extendedAttributes[name].map { Inode.attributeHash(name, $0) } ?? 0
      add(CutTables.Cell(start: -1, base: base), layers, &tables)
    }
  }

  private mutating func add(
    _ cell: CutTables.Cell, _ layers: [CutTables.Layer], _ tables: inout CutTables
  ) {
    var cell = cell
    cell.layers = tables.layers.count..<tables.layers.count + layers.count
    for layer in layers where !layer.isLength {
      cellsOfChange[layer.change].append(tables.cells.count)
    }
    tables.layers += layers
    tables.cells.append(cell)
  }

  // MARK: - Names

  private mutating func addSlots(
    of inode: Inode, _ members: [Int], _ number: Int, _ unit: inout CutTables.Unit,
    _ tables: inout CutTables
  ) {
    guard inode.kind == .directory else { return }
    let byName = Dictionary(
      grouping: members.filter { changes[$0].change.entry != nil },
      by: { changes[$0].change.entry?.name ?? FileName([]) })
    let start = tables.slotsOfDirectories.count
    for name in Set(inode.entries.keys).union(byName.keys).sorted() {
      let base = inode.entries[name].flatMap { self.number(of: $0) } ?? -1
      var slot = CutTables.Slot(
        directory: number, name: ImageHash.text(name.bytes), base: base)
      let firstLayer = tables.slotLayers.count
      for index in byName[name] ?? [] {
        guard let id = changes[index].change.entry?.target, let target = self.number(of: id) else {
          continue
        }
        let isAddition = if case .addEntry = changes[index].change { true } else { false }
        tables.slotLayers.append(.init(change: index, target: target, isAddition: isAddition))
        tables.effects[index] = .slot(tables.slots.count)
      }
      slot.layers = firstLayer..<tables.slotLayers.count
      tables.slotsOfDirectories.append(tables.slots.count)
      tables.slots.append(slot)
    }
    unit.entries = start..<tables.slotsOfDirectories.count
  }

  /// Gives each unit the slots that may lead to it.
  private func linkSlots(_ tables: inout CutTables) {
    var slotsOf = [[Int]](repeating: [], count: tables.units.count)
    for index in tables.slots.indices {
      let slot = tables.slots[index]
      var targets = Set(tables.slotLayers[slot.layers].map(\.target))
      if slot.base >= 0 { targets.insert(slot.base) }
      for target in targets {
        slotsOf[target].append(index)
        if !slot.layers.isEmpty, tables.units[target].kind == .directory {
          tables.slots[index].movesDirectory = true
        }
      }
    }
    for (unit, slots) in slotsOf.enumerated() {
      let start = tables.slotsOfUnits.count
      tables.slotsOfUnits += slots
      tables.units[unit].slots = start..<tables.slotsOfUnits.count
    }
  }
}
