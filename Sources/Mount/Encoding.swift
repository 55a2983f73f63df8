import CFuse
import Device
import Glibc

/// How long the kernel may keep names and attributes: longer than any run. Every change that does not
/// come through the kernel is announced by the ``Notifier``.
let cacheSeconds = 1e8

/// What `stat(2)` is to answer.
func encode(_ attributes: Attributes) -> stat {
  var encoded = stat()
  encoded.st_ino = UInt(attributes.inode.number)
  encoded.st_mode = typeBits(attributes.kind) | UInt32(attributes.mode & 0o7777)
  encoded.st_nlink = UInt(attributes.linkCount)
  encoded.st_uid = attributes.user
  encoded.st_gid = attributes.group
  encoded.st_size = attributes.sizeBytes
  encoded.st_blocks = attributes.sectorCount
  encoded.st_blksize = 4096
  encoded.st_atim = time(attributes.accessedNs)
  encoded.st_mtim = time(attributes.modifiedNs)
  encoded.st_ctim = time(attributes.changedNs)
  return encoded
}

func encode(_ attributes: Attributes, epoch: UInt64) -> fuse_entry_param {
  entry(encode(attributes), at: KernelNode(attributes.inode, epoch: epoch))
}

/// A positive answer to a look-up. There are no negative ones: a missing name is asked for again.
func entry(_ attributes: stat, at node: KernelNode) -> fuse_entry_param {
  var entry = fuse_entry_param()
  entry.ino = node.number
  entry.attr = attributes
  entry.attr_timeout = cacheSeconds
  entry.entry_timeout = cacheSeconds
  return entry
}

func encode(_ statistics: Statistics) -> statvfs {
  var encoded = statvfs()
  encoded.f_bsize = 4096
  encoded.f_frsize = 4096
  encoded.f_blocks = UInt(statistics.blockCount)
  encoded.f_bfree = UInt(statistics.freeBlockCount)
  encoded.f_bavail = UInt(statistics.freeBlockCount)
  encoded.f_files = UInt(statistics.inodeCount)
  encoded.f_ffree = UInt(UInt32.max)
  encoded.f_namemax = UInt(FileName.maximumBytes)
  return encoded
}

func typeBits(_ kind: Inode.Kind) -> UInt32 {
  switch kind {
  case .file: S_IFREG
  case .directory: S_IFDIR
  case .symbolicLink: S_IFLNK
  case .fifo: S_IFIFO
  case .socket: S_IFSOCK
  }
}

private func time(_ ns: Int64) -> timespec {
  let (seconds, rest) = ns.quotientAndRemainder(dividingBy: 1_000_000_000)
  return rest < 0
    ? timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(rest) + 1_000_000_000)
    : timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
}

/// Nanoseconds since 1970.
func nanoseconds(_ time: timespec) -> Int64 {
  Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
