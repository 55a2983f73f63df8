import CFuse
import Device
import Glibc
import Linux

/// The folder `.lab` in the root of every mount, which is the lab's and not the phone's.
///
/// - `status.json` and `operations.ndjson` show the moment when they are opened, and stay as they were
///   for that descriptor.
/// - `points` takes the name of a logical point: one name a write, with or without a line break. The
///   write returns when the lab has seen the point and its faults have been carried out; one that
///   kills never returns.
///
/// The folder does not stand in the listing of the root, so that a copy or a comparison of the phone
/// does not meet it. Nothing in it can be made, renamed or removed.
final class VirtualFolder: Sendable {
  private static let name = FileName(".lab")

  private enum Member: UInt64, CaseIterable {
    case folder
    case status
    case operations
    case points

    init?(_ node: KernelNode) {
      guard node.isVirtual else { return nil }
      self.init(rawValue: node.number - KernelNode.virtualFirst)
    }

    var node: KernelNode { KernelNode(KernelNode.virtualFirst + rawValue) }

    var name: FileName {
      switch self {
      case .folder: VirtualFolder.name
      case .status: "status.json"
      case .operations: "operations.ndjson"
      case .points: "points"
      }
    }

    var mode: UInt32 {
      switch self {
      case .folder: S_IFDIR | 0o555
      case .status, .operations: S_IFREG | 0o444
      case .points: S_IFREG | 0o666
      }
    }
  }

  private let options: MountOptions
  private let contents = Locked<(next: UInt64, open: [UInt64: VirtualText])>((1, [:]))

  init(_ options: MountOptions) {
    self.options = options
  }

  /// Whether a name in a directory is the folder, or the directory is in it.
  func owns(_ directory: KernelNode, _ name: FileName) -> Bool {
    directory.isVirtual || directory.number == KernelNode.rootNumber && name == Self.name
  }

  func lookUp(_ directory: KernelNode, _ name: FileName, _ reply: consuming Reply) {
    guard let found = Member.allCases.first(where: { $0.name == name }) else {
      reply.code(ENOENT)
      return
    }
    _ = reply.entry(entry(encode(found), at: found.node))
  }

  func attributes(_ node: KernelNode, _ reply: consuming Reply) {
    guard let member = Member(node) else {
      reply.code(ENOENT)
      return
    }
    reply.attributes(encode(member), seconds: cacheSeconds)
  }

  /// Opens a file or the folder. Direct I/O, as the size is known only now.
  func open(_ node: KernelNode, _ reply: consuming Reply) {
    let parts: [TextPart]
    switch Member(node) {
    case .status:
      let status = options.status()
      parts = [{ status }]
    case .operations: parts = options.operations()
    case .folder, .points: parts = []
    case nil:
      reply.code(ENOENT)
      return
    }
    var file = fuse_file_info()
    file.direct_io = 1
    file.fh = contents.withLock { contents in
      contents.next += 1
      contents.open[contents.next] = VirtualText(parts)
      return contents.next
    }
    let handle = file.fh
    if !reply.opened(file) { close(handle) }
  }

  func read(_ handle: UInt64, _ offset: Int, _ count: Int, _ reply: consuming Reply) {
    reply.bytes(contents.withLock { $0.open[handle]?.read(at: offset, count: count) } ?? [])
  }

  func close(_ handle: UInt64) {
    contents.withLock { $0.open[handle] = nil }
  }

  /// Announces a point to the device, with all that faults make of it.
  func write(
    _ node: KernelNode, _ bytes: [UInt8], _ mount: MountedDevice, _ reply: consuming Reply
  ) {
    guard Member(node) == .points else {
      reply.code(EPERM)
      return
    }
    let name = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    guard !name.isEmpty, name.count <= FileName.maximumBytes,
      !name.contains(UInt8(ascii: "\n")), let text = String(validating: name, as: UTF8.self),
      options.pointNames?.contains(text) ?? true
    else {
      reply.code(EINVAL)
      return
    }
    mount.perform(Call(.point(text), .point(bytes: bytes.count), reply.caller), reply)
  }

  func list(from first: Int, bytesMax: Int, _ reply: consuming Reply) {
    let members = Member.allCases.filter { $0 != .folder }
    let rows =
      [(Array(".".utf8), encode(.folder)), (Array("..".utf8), encode(.folder))]
      + members.map { ($0.name.bytes, encode($0)) }
    reply.rows(
      rows.map { (name: $0.0, attributes: $0.1) }.dropFirst(first), first: first,
      bytesMax: bytesMax)
  }

  private func encode(_ member: Member) -> stat {
    var attributes = stat()
    attributes.st_ino = UInt(member.node.number)
    attributes.st_mode = member.mode
    attributes.st_nlink = 1
    attributes.st_uid = getuid()
    attributes.st_gid = getgid()
    attributes.st_blksize = 4096
    return attributes
  }
}
