import Device

/// Something that the kernel must forget because it changed without the kernel.
enum Invalidation: Equatable, Sendable {
  /// Attributes and cached bytes of an inode.
  case content(InodeID)
  /// A name, and everything below it.
  case entry(in: InodeID, FileName)
  /// A name that is gone for good, with the inode that it led to; watchers are told.
  case removed(in: InodeID, FileName, InodeID)
}

extension Request {
  /// Whether the kernel cannot carry out an invalidation while this request is unanswered, because
  /// its caller holds a page or an inode locked.
  ///
  /// A look-up holds its directory for reading, a change of names holds it for writing, as does a
  /// listing; a read holds its pages, a short write too; write, sync, attributes and allocation hold
  /// their inode.
  func blocks(_ invalidation: Invalidation) -> Bool {
    switch invalidation {
    case .content(let inode): pages == inode
    case .entry(let directory, _): locked.contains(directory)
    case .removed(let directory, _, let child): locked.contains(directory) || locked.contains(child)
    }
  }

  /// The file whose pages stay locked.
  private var pages: InodeID? {
    switch self {
    case .read(let inode, _, _), .write(let inode, _, _): inode
    default: nil
    }
  }

  /// The inodes that stay locked, as far as the request names them.
  private var locked: [InodeID] {
    switch self {
    case .lookUp(let directory, _), .create(let directory, _, _),
      .makeNode(let directory, _, _, _), .makeDirectory(let directory, _, _),
      .symbolicLink(let directory, _, _, _), .unlink(let directory, _),
      .removeDirectory(let directory, _), .list(let directory), .syncDirectory(let directory):
      [directory]
    case .link(let inode, let directory, _): [inode, directory]
    case .rename(let from, _, let to, _, _): [from, to]
    case .write(let inode, _, _), .setAttributes(let inode, _), .allocate(let inode, _, _, _),
      .setExtendedAttribute(let inode, _, _, _), .removeExtendedAttribute(let inode, _),
      .sync(let inode, _):
      [inode]
    case .attributes, .read, .readLink, .statistics, .extendedAttribute, .extendedAttributes, .open,
      .release, .point:
      []
    }
  }
}
