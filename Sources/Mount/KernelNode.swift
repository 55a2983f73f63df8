import Device

/// The number by which the kernel knows an inode: the device's number and the state it belongs to.
///
/// Every swap of the device's state starts a new epoch, so a request about a file of an old state
/// can never hit a file of the new one. The root has one number in all epochs.
struct KernelNode: Equatable {
  /// Bits of a kernel number that hold the device's own. 2⁴⁰ inodes last for years.
  private static let inodeBits: UInt64 = 40
  /// Numbers from here up belong to the ``VirtualFolder``.
  static let virtualFirst: UInt64 = 1 << 63
  static let rootNumber: UInt64 = 1

  let number: UInt64

  init(_ number: UInt64) {
    self.number = number
  }

  init(_ inode: InodeID, epoch: UInt64) {
    precondition(inode.number < 1 << Self.inodeBits, "a device has fewer than 2^40 inodes")
    number = inode == .root ? Self.rootNumber : epoch << Self.inodeBits | inode.number
  }

  var inode: InodeID { InodeID(number & (1 << Self.inodeBits - 1)) }

  /// `nil` for the root, which belongs to every epoch.
  var epoch: UInt64? { number == Self.rootNumber ? nil : number >> Self.inodeBits }

  var isVirtual: Bool { number >= Self.virtualFirst }
}
