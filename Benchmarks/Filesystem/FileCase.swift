/// The file calls of an app that are measured, in the order of the table.
enum FileCase: String, CaseIterable {
  case status = "stat, cached"
  case read = "4 KiB read, cached"
  /// Stands for a single round trip: most of SQLite's are such.
  case write = "4 KiB write"
  case largeWrite = "64 KiB write"
  case sync = "fsync"
  case newFile = "new file, 4 KiB, fsync"
  case replacement = "atomic replace, 8 KiB"

  /// How much one of them moves.
  var bytes: Int {
    switch self {
    case .status, .sync: 0
    case .read, .write, .newFile: 4 << 10
    case .replacement: 8 << 10
    case .largeWrite: 64 << 10
    }
  }

  /// How many fill a batch, as a multiple of the slowest.
  var callFactor: Int {
    switch self {
    case .status, .read: 20
    case .write, .sync: 5
    case .largeWrite: 2
    case .newFile, .replacement: 1
    }
  }
}
