import CFuse
import Device
import Glibc

func onAllocate(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ mode: Int32, _ offset: off_t, _ length: off_t,
  _: UnsafeMutablePointer<fuse_file_info>?
) {
  let node = KernelNode(ino)
  let known: AllocationMode? =
    switch mode {
    case 0: .extend
    case 1: .keepSize
    case 3: .punchHole
    case 16: .zeroRange
    default: nil
    }
  unsafe serve(request) { mount, reply in
    guard let known, !node.isVirtual else {
      mount.countToolError("fallocate with mode \(mode)")
      return _ = reply.code(EOPNOTSUPP)
    }
    let request = Request.allocate(node.inode, known, offset: offset, length: length)
    mount.perform(Call(request, .none, reply.caller, at: node), reply)
  }
}

func onBlockMap(_ request: fuse_req_t?, _: fuse_ino_t, _: Int, _: UInt64) {
  unsafe serve(request) { mount, reply in
    mount.countToolError("bmap")
    reply.code(ENOSYS)
  }
}

func onSetExtendedAttribute(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?, _ count: Int, _ flags: Int32
) {
  let node = KernelNode(ino)
  let name = unsafe text(name)
  let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: value, count: count))
  let mode: ExtendedAttributeMode? =
    switch flags {
    case 0: .any
    case 1: .createOnly
    case 2: .replaceOnly
    default: nil
    }
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return _ = reply.code(EOPNOTSUPP) }
    guard let mode else {
      mount.countToolError("setxattr with flags \(flags)")
      return _ = reply.code(EOPNOTSUPP)
    }
    let request = Request.setExtendedAttribute(node.inode, name: name, bytes, mode)
    mount.perform(Call(request, .none, reply.caller, at: node), reply)
  }
}

func onRemoveExtendedAttribute(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ name: UnsafePointer<CChar>?
) {
  let node = KernelNode(ino)
  let name = unsafe text(name)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return _ = reply.code(EOPNOTSUPP) }
    let request = Request.removeExtendedAttribute(node.inode, name: name)
    mount.perform(Call(request, .none, reply.caller, at: node), reply)
  }
}

func onGetExtendedAttribute(
  _ request: fuse_req_t?, _ ino: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ bytesMax: Int
) {
  let node = KernelNode(ino)
  let name = unsafe text(name)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return _ = reply.code(ENODATA) }
    let request = Request.extendedAttribute(node.inode, name: name)
    mount.perform(Call(request, .value(bytesMax: bytesMax), reply.caller, at: node), reply)
  }
}

func onListExtendedAttributes(_ request: fuse_req_t?, _ ino: fuse_ino_t, _ bytesMax: Int) {
  let node = KernelNode(ino)
  unsafe serve(request) { mount, reply in
    if node.isVirtual { return _ = reply.value([], bytesMax: bytesMax) }
    let request = Request.extendedAttributes(node.inode)
    mount.perform(Call(request, .names(bytesMax: bytesMax), reply.caller, at: node), reply)
  }
}

private func text(_ name: UnsafePointer<CChar>?) -> String {
  guard let name = unsafe name else { return "" }
  return unsafe String(cString: name)
}
