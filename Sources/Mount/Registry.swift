import Glibc
import Linux

/// The folder in which mounted phones of one user stand, so that commands find them.
///
/// It is ``RuntimeFolder/phones``. Each phone has a folder with `control.sock`, `mount.path` and
/// `pid`. The process that mounts holds a lock on `pid`, which the kernel drops when that process dies by
/// any means; so an entry is alive exactly when its lock is held, whatever process numbers have come
/// round.
package struct Registry: Sendable {
  /// One mounted phone.
  package struct Entry: Equatable, Sendable {
    package let name: String
    /// The mount point, absolute.
    package let directory: String
    package let socket: String
    /// The process that serves it.
    package let process: Int32
  }

  private let folder: String

  /// Opens the user's registry, and makes it if there is none.
  ///
  /// - Throws: ``MountError/folderRefused(_:reason:remedy:)`` when the folder cannot be used.
  package init() throws(MountError) {
    folder = try RuntimeFolder.phones.checked()
  }

  /// Opens a registry in another place.
  package init(at folder: String) throws(MountError) {
    try RuntimeFolder.check(folder)
    self.folder = folder
  }

  /// Enters a phone under the name of its mount point's last folder, or that name with a number.
  ///
  /// - Returns: The entry; it stands as long as the registration is kept.
  package func register(directory: String) throws(MountError) -> Registration {
    _ = list()
    let last = directory.split(separator: "/").last.map(String.init) ?? "root"
    for number in 1...1000 {
      let name = number == 1 ? last : "\(last)-\(number)"
      let made = try mounting { () throws(SystemError) in
        try Registration(in: folder, name: name, directory: directory)
      }
      if let made { return made }
    }
    throw .folderRefused(
      folder, reason: "has a thousand phones called \(last)", remedy: "lab unmount \(last)")
  }

  /// The mounted phones, by name. What dead processes left, their mounts too, is cleaned up.
  package func list() -> [Entry] {
    let names = (try? Files.list(folder)) ?? []
    return names.compactMap { name in
      if let maker = Registration.maker(ofDraft: name) {
        if !ProcessTable.isAlive(maker) { clean("\(folder)/\(name)") }
        return nil
      }
      let place = "\(folder)/\(name)"
      guard let directory = text(place + "/mount.path"), let pid = text(place + "/pid"),
        let process = Int32(pid), Registration.isHeld(place)
      else {
        clean(place)
        return nil
      }
      return Entry(
        name: name, directory: directory, socket: place + "/control.sock", process: process)
    }
  }

  /// The phone with this name, or mounted on this folder; without one, the only phone there is.
  package func find(_ nameOrPath: String? = nil) throws(MountError) -> Entry {
    let entries = list()
    guard let nameOrPath else {
      guard let only = entries.first else { throw .noPhone("any name") }
      guard entries.count == 1 else { throw .severalPhones(entries.map(\.name)) }
      return only
    }
    let path = try? Files.absolutePath(nameOrPath)
    if let found = entries.first(where: { $0.directory == path }) { return found }
    if let found = entries.first(where: { $0.name == nameOrPath }) { return found }
    throw .noPhone(nameOrPath)
  }

  /// Removes what a dead process left. An entry that is just being made has another name.
  private func clean(_ place: String) {
    guard !Registration.isHeld(place) else { return }
    if let directory = text(place + "/mount.path") {
      MountPoint.detachIfDead(directory)
      if Files.exists(place + "/made") { Files.removeIfEmpty(directory) }
    }
    _ = try? Files.removeTree(place)
  }

  private func text(_ path: String) -> String? {
    (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// One phone's place in the registry, held by the process that mounts it.
package final class Registration: Sendable {
  package let name: String
  /// Where the control socket is to listen.
  package let socketPath: String
  private let place: String
  private let lock: Descriptor

  /// Makes the folder and takes its lock; `nil` when the name is taken.
  ///
  /// It is made as a draft and then renamed, so that nobody sees it without its lock.
  init?(in folder: String, name: String, directory: String) throws(SystemError) {
    let draft = "\(folder)/\(Self.draftPrefix)\(getpid())-\(Clocks.monotonicNs)"
    try Files.makeDirectory(draft)
    lock = try Descriptor.open(draft + "/pid", O_RDWR | O_CREAT, permissions: 0o600)
    try lock.lockFile()
    try Files.write(draft + "/mount.path", Array(directory.utf8))
    try lock.write(Array("\(getpid())".utf8))
    place = "\(folder)/\(name)"
    self.name = name
    socketPath = place + "/control.sock"
    do {
      try Files.rename(draft, to: place)
    } catch {
      try Files.removeTree(draft)
      guard error.code == ENOTEMPTY || error.code == EEXIST || error.code == ENOTDIR else {
        throw error
      }
      return nil
    }
  }

  private static let draftPrefix = ".draft-"

  /// The process that makes the draft with this name; `nil` for a finished entry.
  static func maker(ofDraft name: String) -> Int32? {
    guard name.hasPrefix(draftPrefix) else { return nil }
    return name.dropFirst(draftPrefix.count).split(separator: "-").first.flatMap { Int32($0) }
  }

  /// Notes that the mount point was made for the phone, so that it goes with it, even when the
  /// process that mounts is killed.
  package func noteMadeDirectory() {
    // Without the note a killed lab leaves an empty folder behind, and nothing worse.
    try? Files.write(place + "/made", [])
  }

  /// Takes the phone out of the registry.
  package func remove() {
    _ = try? Files.removeTree(place)
  }

  static func isHeld(_ place: String) -> Bool {
    guard let file = try? Descriptor.open(place + "/pid", O_RDWR) else { return false }
    return (try? file.lockFile(shared: true)) == nil
  }
}
