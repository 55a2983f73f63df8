import Device

/// A device driven by paths, as a program would.
struct Driver {
  var device: StorageDevice
  private var timeNs: Int64 = 1_000
  var process = ProcessNumber(7)

  init(_ device: StorageDevice) {
    self.device = device
  }

  /// A device on which every path has one profile.
  init(_ profile: PersistenceProfile = .posixWeak, capacityBytes: Int = 1 << 30) {
    var setup = DeviceSetup()
    setup.restProfile = profile
    setup.capacityBytes = capacityBytes
    device = StorageDevice(setup)
  }

  /// A device with named domains; the rest is as POSIX promises.
  init(domains: [(name: String, prefix: String, profile: PersistenceProfile)]) {
    var setup = DeviceSetup()
    setup.restProfile = .posixWeak
    setup.domains = domains.map {
      DurabilityDomain(name: $0.name, prefix: $0.prefix, profile: $0.profile)
    }
    device = StorageDevice(setup)
  }

  mutating func perform(_ request: Request) -> Performed {
    timeNs += 1_000
    return device.perform(request, by: process, at: timeNs)
  }

  @discardableResult
  mutating func call(_ request: Request) throws(DeviceError) -> Response {
    guard case .reply(let result) = perform(request).answer else { return .none }
    return try result.get()
  }

  func id(_ path: String) throws(DeviceError) -> InodeID {
    guard let id = device.live.resolve(path) else { throw .noEntry }
    return id
  }

  func place(_ path: String) throws(DeviceError) -> (directory: InodeID, name: FileName) {
    let parts = path.split(separator: "/")
    let folder = parts.dropLast().joined(separator: "/")
    return (try id(folder), FileName(parts.last ?? ""))
  }
}

// MARK: - Calls by path

extension Driver {
  /// Makes a file and closes it.
  @discardableResult
  mutating func create(_ path: String, _ bytes: [UInt8] = []) throws(DeviceError) -> InodeID {
    let id = try open(path)
    if !bytes.isEmpty { try call(.write(id, offset: 0, bytes)) }
    try call(.release(id))
    return id
  }

  /// Makes a file and leaves it open.
  mutating func open(_ path: String) throws(DeviceError) -> InodeID {
    let (directory, name) = try place(path)
    let response = try call(.create(in: directory, name, Ownership(mode: 0o644)))
    guard case .attributes(let attributes) = response else { throw .invalid }
    return attributes.inode
  }

  @discardableResult
  mutating func write(_ path: String, _ bytes: [UInt8], at offset: Int = 0) throws(DeviceError)
    -> Int
  {
    guard case .written(let count) = try call(.write(try id(path), offset: offset, bytes)) else {
      return 0
    }
    return count
  }

  mutating func truncate(_ path: String, to size: Int) throws(DeviceError) {
    try call(.setAttributes(try id(path), .truncating(to: size)))
  }

  mutating func sync(_ path: String) throws(DeviceError) {
    try call(.sync(try id(path), dataOnly: false))
  }

  mutating func syncDirectory(_ path: String) throws(DeviceError) {
    try call(.syncDirectory(try id(path)))
  }

  mutating func makeDirectory(_ path: String) throws(DeviceError) {
    let (directory, name) = try place(path)
    try call(.makeDirectory(in: directory, name, Ownership(mode: 0o755)))
  }

  mutating func removeDirectory(_ path: String) throws(DeviceError) {
    let (directory, name) = try place(path)
    try call(.removeDirectory(in: directory, name))
  }

  mutating func unlink(_ path: String) throws(DeviceError) {
    let (directory, name) = try place(path)
    try call(.unlink(in: directory, name))
  }

  mutating func rename(
    _ path: String, _ target: String, _ mode: RenameMode = .replacing
  ) throws(DeviceError) {
    let (directory, name) = try place(path)
    let (other, newName) = try place(target)
    try call(.rename(from: directory, name, to: other, newName, mode))
  }

  mutating func link(_ path: String, _ target: String) throws(DeviceError) {
    let (directory, name) = try place(target)
    try call(.link(try id(path), in: directory, name))
  }

  mutating func symbolicLink(_ path: String, to target: String) throws(DeviceError) {
    let (directory, name) = try place(path)
    try call(.symbolicLink(in: directory, name, target: Array(target.utf8), Ownership(mode: 0o777)))
  }

  mutating func read(_ path: String) throws(DeviceError) -> [UInt8] {
    guard case .data(let bytes) = try call(.read(try id(path), offset: 0, count: .max)) else {
      return []
    }
    return bytes
  }

  mutating func attributes(_ path: String) throws(DeviceError) -> Attributes {
    guard case .attributes(let attributes) = try call(.attributes(try id(path))) else {
      throw .invalid
    }
    return attributes
  }
}

// MARK: - States

extension Driver {
  /// The device after a power cut, as a driver of its own.
  func afterPowerCut(_ survivors: Survivors = .none) -> Driver {
    var next = self
    next.device = device.crashState(survivors)
    return next
  }

  /// What a path holds, or `nil`.
  func content(_ path: String) -> [UInt8]? {
    guard let id = device.live.resolve(path), let inode = device.live[id] else { return nil }
    return inode.read(at: 0, count: .max)
  }

  func exists(_ path: String) -> Bool { device.live.resolve(path) != nil }

  /// Every file below the root by path, and every directory as `nil`.
  func image() -> [String: [UInt8]?] {
    var image: [String: [UInt8]?] = [:]
    collect(.root, "", into: &image)
    return image
  }

  private func collect(_ id: InodeID, _ path: String, into image: inout [String: [UInt8]?]) {
    for entry in device.live.list(id) {
      let below = "\(path)/\(entry.name)"
      if entry.kind == .directory {
        image[below] = .some(nil)
        collect(entry.inode, below, into: &image)
      } else {
        image[below] = content(below)
      }
    }
  }
}

func bytes(_ value: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: value, count: count) }

extension OperationLog {
  /// The newest operation.
  var last: OperationRecord? { segments.last?.records.last }
}
