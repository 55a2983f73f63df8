import Device
import Ports

// MARK: - Requests

extension DeviceFileSystem {
  /// What an error names.
  struct Call {
    let name: String
    let path: String

    init(_ name: String, _ path: String) {
      self.name = name
      self.path = path
    }

    func error(_ code: DeviceError) -> FileError {
      FileError(call: name, path: path, code: code.rawValue)
    }

    /// ELOOP, which no device gives.
    var tooManyLinks: FileError { FileError(call: name, path: path, code: 40) }
  }

  struct Place {
    var directory: InodeID
    var name: FileName
  }

  func perform(_ call: Call, _ request: Request) throws(FileError) -> Response {
    switch box.perform(request, by: process) {
    case .success(let response) where !isGone: return response
    case .success: throw call.error(.inputOutput)
    case .failure(let error): throw call.error(error)
    }
  }

  func attributes(_ call: Call, _ request: Request) throws(FileError) -> Attributes {
    guard case .attributes(let attributes) = try perform(call, request) else {
      throw call.error(.inputOutput)
    }
    return attributes
  }

  // MARK: - Paths

  /// Linux follows this many links in one path.
  private static let linkLimit = 40

  /// The inode at a path.
  func find(_ call: Call, _ path: String) throws(FileError) -> InodeID {
    var id = InodeID.root
    for part in Self.parts(of: path) { id = try step(call, from: id, part, depth: 0) }
    return id
  }

  private static func parts(of path: String) -> [FileName] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { FileName(Array($0)) }
  }

  /// The directory of the last part of a path, and that part.
  func parent(_ call: Call, _ path: String) throws(FileError) -> Place {
    let parts = Self.parts(of: path)
    guard let last = parts.last else { throw call.error(.exists) }
    var id = InodeID.root
    for part in parts.dropLast() { id = try step(call, from: id, part, depth: 0) }
    return Place(directory: id, name: last)
  }

  /// A place that has something. A kernel looks the name up first, so a call that finds nothing never
  /// gets to the device.
  func existing(_ call: Call, _ path: String) throws(FileError) -> Place {
    let place = try parent(call, path)
    _ = try attributes(call, .lookUp(place.directory, place.name))
    return place
  }

  /// A place that has nothing yet; again as a kernel finds out.
  func free(_ call: Call, _ path: String) throws(FileError) -> Place {
    let place = try parent(call, path)
    do {
      _ = try attributes(call, .lookUp(place.directory, place.name))
    } catch {
      guard error.code == FileError.noEntry else { throw error }
      return place
    }
    throw call.error(.exists)
  }

  /// One part of a path, with its link followed.
  private func step(
    _ call: Call, from directory: InodeID, _ name: FileName, depth: Int
  ) throws(FileError) -> InodeID {
    if name.bytes.first == UInt8(ascii: ".") {
      if name == "." { return directory }
      if name == ".." { return box.device.live[directory]?.parentDirectory ?? .root }
    }
    if let found = box.plainLookUp(name, in: directory, by: process) { return found }
    let found = try attributes(call, .lookUp(directory, name))
    guard found.kind == .symbolicLink else { return found.inode }
    return try follow(call, found.inode, from: directory, depth: depth + 1)
  }

  private func follow(
    _ call: Call, _ link: InodeID, from directory: InodeID, depth: Int
  ) throws(FileError) -> InodeID {
    guard depth <= Self.linkLimit else { throw call.tooManyLinks }
    var id = directory
    let target = try target(call, link)
    if target.first == UInt8(ascii: "/") { id = .root }
    for part in target.split(separator: UInt8(ascii: "/")) {
      id = try step(call, from: id, FileName(Array(part)), depth: depth)
    }
    return id
  }

  private func target(_ call: Call, _ link: InodeID) throws(FileError) -> [UInt8] {
    guard case .data(let target) = try perform(call, .readLink(link)) else {
      throw call.error(.inputOutput)
    }
    return target
  }

  /// The place that a name leads to when it is a link, for a file that may have to be made there.
  func resolved(_ call: Call, _ place: Place, depth: Int) throws(FileError) -> Place {
    guard depth <= Self.linkLimit else { throw call.tooManyLinks }
    guard let id = box.device.live.child(place.name, of: place.directory),
      box.device.live[id]?.kind == .symbolicLink
    else { return place }
    let target = try target(call, id)
    let parts = target.split(separator: UInt8(ascii: "/"))
    guard let last = parts.last else { throw call.error(.noEntry) }
    var directory = target.first == UInt8(ascii: "/") ? InodeID.root : place.directory
    for part in parts.dropLast() {
      directory = try step(call, from: directory, FileName(Array(part)), depth: depth)
    }
    return try resolved(
      call, Place(directory: directory, name: FileName(Array(last))), depth: depth + 1)
  }
}
