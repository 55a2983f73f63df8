import Glibc
import JSON
import Linux
import Mount

/// Where running servers of one user stand, so that commands find them: beside the registry of phones,
/// and as that, a file for each with a lock that dies with its process.
struct ServerRegistry {
  struct Entry: Equatable {
    var kind: String
    /// Without its path: `http://127.0.0.1:54321`.
    var url: String
  }

  private let folder: String

  /// - Throws: `MountError` for a folder that others may enter, as for phones.
  init() throws {
    folder = try RuntimeFolder.servers.checked()
  }

  /// Enters a server. It stands as long as the registration is kept.
  ///
  /// Written as a draft and then renamed, so that nobody sees it without its lock.
  func register(_ entry: Entry) throws -> Registration {
    let draft = "\(folder)/.draft-\(getpid())"
    let file = try Descriptor.open(draft, O_RDWR | O_CREAT | O_TRUNC, permissions: 0o600)
    try file.lockFile()
    let document: JSONValue = ["kind": .text(entry.kind), "url": .text(entry.url)]
    try file.write(JSONWriter.bytes(of: document))
    let path = "\(folder)/\(getpid())"
    try Files.rename(draft, to: path)
    return Registration(path: path, lock: file)
  }

  /// One server's place.
  struct Registration {
    fileprivate let path: String
    fileprivate let lock: Descriptor

    /// Takes the server out. What is left otherwise goes with the next look at the list.
    func remove() {
      try? Files.remove(path)
    }
  }

  /// The running servers, by address. What dead processes left is removed.
  func list() throws -> [Entry] {
    var entries: [Entry] = []
    for name in try Files.list(folder) where !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      guard let file = try? Descriptor.open(path, O_RDWR) else { continue }
      if (try? file.lockFile(shared: true)) != nil {
        // Nobody holds it; somebody else may be removing it as well.
        try? Files.remove(path)
      } else if let document = try? JSONReader.read(file.readAll()).value,
        let kind = document["kind"]?.text, let url = document["url"]?.text
      {
        entries.append(Entry(kind: kind, url: url))
      }
    }
    return entries.sorted { $0.url < $1.url }
  }
}
