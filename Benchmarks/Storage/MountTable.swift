import Linux

/// What is mounted where on this machine.
struct MountTable {
  private let entries: [(path: String, kind: String)]

  init() throws {
    self.init(String(decoding: try Files.read("/proc/self/mountinfo"), as: UTF8.self))
  }

  /// - Parameter text: As `/proc/self/mountinfo` has it: the path is the fifth field, and the kind
  ///   the first one behind a lone dash.
  init(_ text: String) {
    entries = text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard let dash = fields.lastIndex(of: "-"), dash > 4, dash + 1 < fields.count else {
        return nil
      }
      return (String(fields[4]), String(fields[dash + 1]))
    }
  }

  /// The kind of file system that holds a folder: `ext4`.
  func kind(at folder: String) throws -> String {
    let place = try Files.absolutePath(folder) + "/"
    let holders = entries.filter { place.hasPrefix($0.path == "/" ? "/" : $0.path + "/") }
    // Of two at one place, the later lies above.
    let longest = holders.map(\.path.utf8.count).max()
    return holders.last { $0.path.utf8.count == longest }?.kind ?? "unknown"
  }
}
