/// What a power cut may change of an image, in flat tables that refer to each other by position.
///
/// A *unit* is an inode, a *cell* a run of its bytes that each pending change covers whole or not at
/// all (or one extended attribute), a *slot* a name in a directory. The value of a cell is that of its
/// newest layer that survives, else its base.
struct CutTables: Sendable {
  struct Unit: Sendable {
    let kind: Inode.Kind
    let sizeBytes: Int
    /// What lies outside all cells, of ``Inode/bodyHash``.
    var rest: UInt128
    var cells = 0..<0
    var sizes = 0..<0
    var data = 0..<0
    /// Into ``slotsOfUnits``.
    var slots = 0..<0
    /// Into ``slotsOfDirectories``, in the order of names.
    var entries = 0..<0
    var dataBeforeSize = false
  }

  struct Cell: Sendable {
    /// Where it begins in the file; -1 for an extended attribute.
    let start: Int
    let base: UInt128
    var layers = 0..<0
  }

  struct Layer: Sendable {
    let change: Int
    /// Which sector of the change it lies in.
    let sector: Int
    let value: UInt128
    /// Whether it is a change of length, which leaves nothing behind it.
    let isLength: Bool
  }

  struct SizeChange: Sendable {
    let change: Int
    let operation: OperationNumber
    let from: Int
    let to: Int
  }

  /// Bytes that are written, or a hole.
  struct DataChange: Sendable {
    let change: Int
    let operation: OperationNumber
    let range: Range<Int>
    /// `nil` for a hole, which length does not bind.
    let page: Int?
  }

  struct Slot: Sendable {
    let directory: Int
    let name: UInt128
    /// The unit that it leads to in the durable view; -1 for none.
    let base: Int
    var layers = 0..<0
    /// Whether a change lets a directory come or go.
    var movesDirectory = false
  }

  struct SlotLayer: Sendable {
    let change: Int
    let target: Int
    let isAddition: Bool
  }

  enum Effect: Sendable {
    case none
    /// A range of ``cellsOfChanges``.
    case cells(unit: Int, Range<Int>)
    case size(unit: Int)
    case slot(Int)
  }

  var units: ContiguousArray<Unit> = []
  var cells: ContiguousArray<Cell> = []
  var layers: ContiguousArray<Layer> = []
  var sizes: ContiguousArray<SizeChange> = []
  var data: ContiguousArray<DataChange> = []
  var slots: ContiguousArray<Slot> = []
  var slotLayers: ContiguousArray<SlotLayer> = []
  var slotsOfUnits: ContiguousArray<Int> = []
  var slotsOfDirectories: ContiguousArray<Int> = []
  var cellsOfChanges: ContiguousArray<Int> = []
  /// By change.
  var effects: ContiguousArray<Effect>
  /// Units that a pending change may alter.
  var pendingUnits: ContiguousArray<Int> = []

  /// Whether a directory may come, go or move, so that places must be looked up anew.
  var movesDirectories: Bool { slots.contains { $0.movesDirectory } }

  init(_ device: StorageDevice, _ changes: [PendingChange], splitsSectors: Bool) {
    effects = ContiguousArray(repeating: .none, count: changes.count)
    var builder = CutTableBuilder(device, changes, splitsSectors: splitsSectors)
    builder.fill(&self)
  }

  /// How much work it is to change the fate of a change.
  func cost(of change: Int) -> Int {
    switch effects[change] {
    case .none: 0
    case .slot(let slot): slots[slot].movesDirectory ? 10 + slots.count : 1
    case .cells(_, let cells): cells.count
    case .size(let unit): 2 + units[unit].cells.count
    }
  }
}
