import Linux
import Terminal

/// Files that a command line names, to be read as a whole.
enum InputFile {
  private static let bytesMax = 256 << 20

  /// - Throws: `Failure`, 2 for what is no file or too long to be one of the lab's.
  static func read(_ path: String) throws -> [UInt8] {
    guard Files.exists(path) else { throw Failure.couldNotRun("no file \(path)") }
    let target = try Files.absolutePath(path)
    let status = try Files.status(target)
    guard status.isRegular else { throw Failure.couldNotRun("\(path) is no regular file") }
    guard status.sizeBytes <= bytesMax else {
      throw Failure.couldNotRun("\(path) is longer than \(bytesMax >> 20) MiB")
    }
    return try Files.read(target)
  }
}
