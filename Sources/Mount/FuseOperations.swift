import CFuse
import Device
import Glibc

/// The calls that libfuse hands to the mount: decode, one call of ``MountedDevice``, no more.
///
/// Answered ENOSYS by design, which the kernel remembers and then does without:
/// - `flush`, `access`: nothing to do; `default_permissions` checks access in the kernel.
/// - `getxattr`, `listxattr`: without the option; with it they cost a request on every write. What is
///   set is kept all the same, as the phone's libraries set some that nobody reads.
/// - `getlk`, `setlk`, `flock`: the kernel keeps the locks of one machine itself.
/// - `lseek`, `copy_file_range`, `readdirplus`, `ioctl`, `poll`, `tmpfile`: the kernel falls back to
///   whole-file data, read and write, `readdir` and `lookup`, ENOTTY, always ready, EOPNOTSUPP.
///
/// Not by design, and counted as errors of the tool: `bmap`, device nodes, unknown modes and flags.
func makeOperations(extendedAttributes: Bool) -> fuse_lowlevel_ops {
  var operations = fuse_lowlevel_ops()
  unsafe operations.`init` = onInit
  unsafe operations.lookup = onLookUp
  unsafe operations.forget = onForget
  unsafe operations.forget_multi = onForgetMany
  unsafe operations.getattr = onGetAttributes
  unsafe operations.setattr = onSetAttributes
  unsafe operations.readlink = onReadLink
  unsafe operations.mknod = onMakeNode
  unsafe operations.mkdir = onMakeDirectory
  unsafe operations.unlink = onUnlink
  unsafe operations.rmdir = onRemoveDirectory
  unsafe operations.symlink = onSymbolicLink
  unsafe operations.rename = onRename
  unsafe operations.link = onLink
  unsafe operations.open = onOpen
  unsafe operations.read = onRead
  unsafe operations.write = onWrite
  unsafe operations.release = onRelease
  unsafe operations.fsync = onSync
  unsafe operations.opendir = onOpenDirectory
  unsafe operations.readdir = onReadDirectory
  unsafe operations.releasedir = onReleaseDirectory
  unsafe operations.fsyncdir = onSyncDirectory
  unsafe operations.statfs = onStatistics
  unsafe operations.create = onCreate
  unsafe operations.fallocate = onAllocate
  unsafe operations.bmap = onBlockMap
  unsafe operations.setxattr = onSetExtendedAttribute
  unsafe operations.removexattr = onRemoveExtendedAttribute
  if extendedAttributes {
    unsafe operations.getxattr = onGetExtendedAttribute
    unsafe operations.listxattr = onListExtendedAttributes
  }
  return operations
}

/// Wraps a request and finds the mount behind it. The session borrows the mount: the serving thread
/// keeps it alive.
func serve(
  _ request: fuse_req_t?, _ body: (MountedDevice, consuming Reply) -> Void
) {
  guard let request = unsafe request, let owner = unsafe fuse_req_userdata(request) else { return }
  unsafe Unmanaged<MountedDevice>.fromOpaque(owner)._withUnsafeGuaranteedRef { mount in
    body(mount, unsafe Reply(request))
  }
}

private func fileName(_ name: UnsafePointer<CChar>?) -> FileName {
  guard let name = unsafe name else { return FileName([]) }
  return unsafe FileName(
    Array(UnsafeRawBufferPointer(start: name, count: strlen(name))))
}

/// Without atomic O_TRUNC an `open` that truncates comes as two requests, and the model sees the
/// truncation as an operation of its own. Without splicing a request is one `read` and one `write`.
private func onInit(
  _: UnsafeMutableRawPointer?, _ connection: UnsafeMutablePointer<fuse_conn_info>?
) {
  guard let connection = unsafe connection else { return }
  let unwanted =
    FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE
    | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_WRITEBACK_CACHE
    | FUSE_CAP_AUTO_INVAL_DATA
  unsafe connection.pointee.want &= ~UInt32(unwanted)
  unsafe connection.pointee.want |=
    unsafe connection.pointee.capable & UInt32(FUSE_CAP_EXPLICIT_INVAL_DATA)
}

/// A caller got a signal while its request was unanswered; `context` is the key of the request.
func onInterrupt(_ request: fuse_req_t?, _ context: UnsafeMutableRawPointer?) {
  guard let request = unsafe request, let owner = unsafe fuse_req_userdata(request) else { return }
  let mount = unsafe Unmanaged<MountedDevice>.fromOpaque(owner).takeUnretainedValue()
  mount.interrupted(Int(bitPattern: context))
}

private func onLookUp(_ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?) {
  let node = KernelNode(parent)
  let name = unsafe fileName(name)
  unsafe serve(request) { mount, reply in
    if mount.folder.owns(node, name) { return mount.folder.lookUp(node, name, reply) }
    mount.perform(
      Call(.lookUp(node.inode, name), .entry, reply.caller, at: node), reply)
  }
}

private func onForget(_ request: fuse_req_t?, _ ino: fuse_ino_t, _ count: UInt64) {
  unsafe serve(request) { mount, reply in
    mount.forget(KernelNode(ino), count: count)
    reply.nothing()
  }
}

private func onForgetMany(
  _ request: fuse_req_t?, _ count: Int, _ forgets: UnsafeMutablePointer<fuse_forget_data>?
) {
  unsafe serve(request) { mount, reply in
    unsafe UnsafeBufferPointer(start: forgets, count: count).forEach { forget in
      mount.forget(KernelNode(forget.ino), count: forget.nlookup)
    }
    reply.nothing()
  }
}

private func onGetAttributes(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return mount.folder.attributes(node, reply) }
    mount.perform(Call(.attributes(node.inode), .attributes, reply.caller, at: node), reply)
  }
}

private func onSetAttributes(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ values: UnsafeMutablePointer<stat>?, _ set: Int32,
  _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  unsafe serve(request) { mount, reply in
    guard let values = unsafe values?.pointee, !node.isVirtual else {
      // The shell's `>` truncates `.lab/points` first.
      return mount.folder.attributes(node, reply)
    }
    var change = AttributeChange()
    let has = { (flag: Int32) in set & flag != 0 }
    let now = has(FUSE_SET_ATTR_ATIME_NOW | FUSE_SET_ATTR_MTIME_NOW) ? mount.now : 0
    if has(FUSE_SET_ATTR_MODE) { change.mode = UInt16(values.st_mode & 0o7777) }
    if has(FUSE_SET_ATTR_UID) { change.user = values.st_uid }
    if has(FUSE_SET_ATTR_GID) { change.group = values.st_gid }
    if has(FUSE_SET_ATTR_SIZE) { change.sizeBytes = values.st_size }
    if has(FUSE_SET_ATTR_ATIME) { change.accessedNs = nanoseconds(values.st_atim) }
    if has(FUSE_SET_ATTR_MTIME) { change.modifiedNs = nanoseconds(values.st_mtim) }
    if has(FUSE_SET_ATTR_ATIME_NOW) { change.accessedNs = now }
    if has(FUSE_SET_ATTR_MTIME_NOW) { change.modifiedNs = now }
    mount.perform(
      Call(.setAttributes(node.inode, change), .attributes, reply.caller, at: node), reply)
  }
}

private func onReadLink(_ request: fuse_req_t?, _ ino: fuse_ino_t) {
  let node = KernelNode(ino)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return _ = reply.code(EINVAL) }
    mount.perform(Call(.readLink(node.inode), .target, reply.caller, at: node), reply)
  }
}

/// A change in a directory; refused where the ``VirtualFolder`` is.
private func change(
  _ request: fuse_req_t?, in parent: KernelNode, _ name: FileName, _ shape: Call.Shape,
  other: KernelNode? = nil, _ make: (MountedDevice, Call.Caller) -> Request?
) {
  unsafe serve(request) { mount, reply in
    if mount.folder.owns(parent, name) || other?.isVirtual == true {
      return _ = reply.code(EPERM)
    }
    guard let request = make(mount, reply.caller) else { return _ = reply.code(EINVAL) }
    mount.perform(Call(request, shape, reply.caller, at: parent, and: other), reply)
  }
}

private func ownership(_ mode: mode_t, _ caller: Call.Caller) -> Ownership {
  Ownership(mode: UInt16(mode & 0o7777), user: caller.user, group: caller.group)
}

private func onMakeNode(
  _ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ mode: mode_t,
  _: dev_t
) {
  let node = KernelNode(parent)
  let name = unsafe fileName(name)
  unsafe change(request, in: node, name, .entry) { mount, caller in
    let kind: Inode.Kind? =
      switch mode & S_IFMT {
      case S_IFREG: .file
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      default: nil
      }
    guard let kind else {
      mount.countToolError("mknod of a device")
      return nil
    }
    return .makeNode(in: node.inode, name, kind, ownership(mode, caller))
  }
}

private func onMakeDirectory(
  _ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ mode: mode_t
) {
  let node = KernelNode(parent)
  let name = unsafe fileName(name)
  unsafe change(request, in: node, name, .entry) { _, caller in
    .makeDirectory(in: node.inode, name, ownership(mode, caller))
  }
}

private func onUnlink(_ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?) {
  let node = KernelNode(parent)
  let name = unsafe fileName(name)
  unsafe change(request, in: node, name, .none) { _, _ in .unlink(in: node.inode, name) }
}

private func onRemoveDirectory(
  _ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?
) {
  let node = KernelNode(parent)
  let name = unsafe fileName(name)
  unsafe change(request, in: node, name, .none) { _, _ in .removeDirectory(in: node.inode, name) }
}

private func onSymbolicLink(
  _ request: fuse_req_t?, _ target: UnsafePointer<CChar>?, _ parent: fuse_ino_t,
  _ name: UnsafePointer<CChar>?
) {
  let node = KernelNode(parent)
  let name = unsafe fileName(name)
  let target = unsafe fileName(target).bytes
  unsafe change(request, in: node, name, .entry) { _, caller in
    .symbolicLink(in: node.inode, name, target: target, ownership(0o777, caller))
  }
}

private func onRename(
  _ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?,
  _ newParent: fuse_ino_t, _ newName: UnsafePointer<CChar>?, _ flags: UInt32
) {
  let (from, to) = (KernelNode(parent), KernelNode(newParent))
  let (name, newName) = unsafe (fileName(name), fileName(newName))
  unsafe change(request, in: from, name, .none, other: to) { mount, _ in
    let mode: RenameMode? =
      switch flags {
      case 0: .replacing
      case 1: .noReplace
      case 2: .exchange
      default: nil
      }
    guard let mode else {
      mount.countToolError("rename with flags \(flags)")
      return nil
    }
    if mount.folder.owns(to, newName) { return nil }
    return .rename(from: from.inode, name, to: to.inode, newName, mode)
  }
}

private func onLink(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?
) {
  let (node, parent) = (KernelNode(ino), KernelNode(parent))
  let name = unsafe fileName(name)
  unsafe change(request, in: parent, name, .entry, other: node) { _, _ in
    .link(node.inode, in: parent.inode, name)
  }
}

private func onCreate(
  _ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ mode: mode_t,
  _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(parent)
  let name = unsafe fileName(name)
  unsafe change(request, in: node, name, .created) { _, caller in
    .create(in: node.inode, name, ownership(mode, caller))
  }
}

private func onOpen(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return mount.folder.open(node, reply) }
    mount.perform(Call(.open(node.inode), .opened(node), reply.caller, at: node), reply)
  }
}

private func onRead(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ count: Int, _ offset: off_t,
  _ file: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  let handle = unsafe file?.pointee.fh ?? 0
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return mount.folder.read(handle, offset, count, reply) }
    mount.perform(
      Call(.read(node.inode, offset: offset, count: count), .data, reply.caller, at: node), reply)
  }
}

private func onWrite(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ buffer: UnsafePointer<CChar>?, _ count: Int,
  _ offset: off_t, _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: buffer, count: count))
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return mount.folder.write(node, bytes, mount, reply) }
    mount.perform(
      Call(.write(node.inode, offset: offset, bytes), .written, reply.caller, at: node), reply)
  }
}

private func onRelease(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ file: UnsafeMutablePointer<fuse_file_info>?
) {
  let handle = unsafe file?.pointee.fh ?? 0
  unsafe serve(request) { mount, reply in
    mount.release(KernelNode(ino), handle: handle, reply)
  }
}

private func onSync(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ dataOnly: Int32,
  _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return _ = reply.code(0) }
    mount.perform(
      Call(.sync(node.inode, dataOnly: dataOnly != 0), .none, reply.caller, at: node), reply)
  }
}

private func onOpenDirectory(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return mount.folder.open(node, reply) }
    mount.perform(Call(.open(node.inode), .openedDirectory(node), reply.caller, at: node), reply)
  }
}

private func onReadDirectory(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ bytes: Int, _ offset: off_t,
  _ file: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  let handle = unsafe file?.pointee.fh ?? 0
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return mount.folder.list(from: offset, bytesMax: bytes, reply) }
    mount.readDirectory(node, handle: handle, from: offset, bytesMax: bytes, reply)
  }
}

private func onReleaseDirectory(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ file: UnsafeMutablePointer<fuse_file_info>?
) {
  let handle = unsafe file?.pointee.fh ?? 0
  unsafe serve(request) { mount, reply in
    mount.release(KernelNode(ino), handle: handle, reply)
  }
}

private func onSyncDirectory(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _: Int32, _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return _ = reply.code(0) }
    mount.perform(Call(.syncDirectory(node.inode), .none, reply.caller, at: node), reply)
  }
}

private func onStatistics(_ request: fuse_req_t?, _: fuse_ino_t) {
  unsafe serve(request) { mount, reply in
    mount.perform(Call(.statistics, .statistics, reply.caller), reply)
  }
}
