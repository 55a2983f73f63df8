import Glibc
import Linux

/// A folder of the user's for what lives as long as a process: `$XDG_RUNTIME_DIR/lab`, or
/// `/tmp/lab-UID`, and others beside it.
///
/// Mode 0700 and owned by the user, which is checked before use.
package enum RuntimeFolder: String, CaseIterable, Sendable {
  /// Where mounted phones stand, so that commands find them.
  case phones = ""
  /// The same for the phones of the lab's own, which no command finds.
  case lanes = "-lanes"
  /// Where those are mounted.
  case mounts = "-mounts"
  case servers = "-servers"
  /// What leads a browser to a page.
  case pages = "-ui"

  private static let variable = "XDG_RUNTIME_DIR"

  private static var parent: String? {
    Files.environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  package var path: String {
    Self.parent.map { "\($0)/lab\(rawValue)" } ?? "/tmp/lab-\(getuid())\(rawValue)"
  }

  /// Its path, once it is there and safe to use.
  ///
  /// - Throws: ``MountError/folderRefused(_:reason:remedy:)`` when it belongs to somebody else, is a
  ///   link, or lets others in.
  package func checked() throws(MountError) -> String {
    if let parent = Self.parent, !Files.exists(parent) {
      throw .folderRefused(
        parent, reason: "does not exist, and \(Self.variable) names it",
        remedy: "unset \(Self.variable), or mkdir -p -m 700 \(parent)")
    }
    try Self.check(path)
    return path
  }

  /// Makes a folder if there is none, and checks it.
  static func check(_ folder: String) throws(MountError) {
    do {
      try Files.makeDirectory(folder)
    } catch {
      guard error.code == EEXIST else {
        throw .folderRefused(
          folder, reason: "cannot be made: \(error)",
          remedy: "let \(variable) name a folder of yours")
      }
    }
    let status = try mounting { () throws(SystemError) in try Files.status(folder) }
    func refusal(_ reason: String, _ remedy: String) -> MountError {
      .folderRefused(folder, reason: "is not safe to use: \(reason)", remedy: remedy)
    }
    guard status.isDirectory else { throw refusal("not a folder", "remove it") }
    guard status.owner == geteuid() else {
      throw refusal(
        "owned by user \(status.owner)", "let \(variable) name a folder of yours")
    }
    guard status.permissions & 0o077 == 0 else {
      throw refusal("others may enter", "chmod 700 \(folder)")
    }
  }
}
