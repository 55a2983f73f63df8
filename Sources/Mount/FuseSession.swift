import CFuse
import Device
import Glibc
import Linux

/// One connection to the kernel's FUSE, and the one thread that serves it.
///
/// The thread waits in its read of the connection and nowhere else, as each further call would be paid
/// for with every request. To be stopped, or asked whether it has served everything, it gets orders:
/// the connection is made nonblocking, so that a read that comes later does not wait, and one that
/// waits is interrupted.
///
/// `@unchecked Sendable`: libfuse locks its session; `handle` is freed by ``close()`` alone, after
/// the serving thread and the notifier have ended.
@safe final class FuseSession: @unchecked Sendable {
  private let handle: OpaquePointer
  private let helper: UnmountHelper?
  private let mountPoint: MountPoint
  private let thread = Locked<Thread?>(nil)

  /// What the serving thread is asked for, apart from requests.
  private struct Orders {
    var drainsWanted = 0
    var drainsDone = 0
    var stops = false
    var hasEnded = false
  }
  private let orders = Locked(Orders())

  private static let mountFlags = "default_permissions,fsname=lab,subtype=lab"

  /// Mounts. Requests wait in the kernel until ``start(_:)``.
  ///
  /// - Parameters:
  ///   - mountPoint: A prepared folder.
  ///   - options: What the mount is to do.
  ///   - owner: What the callbacks find; borrowed.
  /// - Throws: ``MountError``; nothing is mounted then.
  init(
    at mountPoint: MountPoint, _ options: MountOptions, owner: MountedDevice
  ) throws(MountError) {
    self.mountPoint = mountPoint
    try FuseDevice.check()
    let flags = options.unmountsWhenKilled ? nil : Self.mountFlags
    let made = unsafe Self.makeHandle(
      mountFlags: flags, extendedAttributes: options.servesExtendedAttributes, owner: owner)
    guard let made = unsafe made else {
      throw .mountRefused(directory: mountPoint.path, reason: "libfuse refused its options")
    }
    do {
      helper = try unsafe Self.mount(
        made, at: mountPoint, helped: options.unmountsWhenKilled)
    } catch {
      unsafe fuse_session_destroy(made)
      throw error
    }
    unsafe FuseTransport.install(in: made)
    unsafe handle = unsafe made
  }

  private static func makeHandle(
    mountFlags: String?, extendedAttributes: Bool, owner: MountedDevice
  ) -> OpaquePointer? {
    var words = ["lab"]
    if let mountFlags { words += ["-o", mountFlags] }
    var copies = unsafe words.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    let context = unsafe Unmanaged.passUnretained(owner).toOpaque()
    var operations = makeOperations(extendedAttributes: extendedAttributes)
    return unsafe copies.withUnsafeMutableBufferPointer { buffer in
      var arguments = unsafe fuse_args(
        argc: Int32(buffer.count), argv: buffer.baseAddress, allocated: 0)
      return unsafe fuse_session_new(
        &arguments, &operations, MemoryLayout<fuse_lowlevel_ops>.size, context)
    }
  }

  private static func mount(
    _ handle: OpaquePointer, at mountPoint: MountPoint, helped: Bool
  ) throws(MountError) -> UnmountHelper? {
    guard helped else {
      guard unsafe fuse_session_mount(handle, mountPoint.path) == 0 else {
        throw .mountRefused(directory: mountPoint.path, reason: "the kernel or fusermount3 refused")
      }
      return nil
    }
    let (helper, connection) = try UnmountHelper.mount(at: mountPoint.path, options: mountFlags)
    // The session closes the number that it is given.
    let owned = try mounting { () throws(SystemError) in try connection.duplicateNumber() }
    guard unsafe fuse_session_mount(handle, "/dev/fd/\(owned)") == 0 else {
      helper.finish()
      throw .mountRefused(directory: mountPoint.path, reason: "libfuse refused the connection")
    }
    return helper
  }

  // MARK: - Serving

  /// Starts the serving thread. It keeps `mount` alive until it ends.
  func start(_ mount: MountedDevice) throws(MountError) {
    // Locked until the thread is known, so that orders which come at once find it.
    try thread.withLock { thread throws(MountError) in
      thread = try mounting { () throws(SystemError) in
        try Thread("lab-serve") { [self] in
          Signals.letThisThreadBeInterrupted()
          Thread.leaveRestartableSequences()
          serve()
          orders.withLock { $0.hasEnded = true }
          mount.servingEnded()
        }
      }
    }
  }

  /// Serves until it is told to stop, or nothing is mounted any more.
  private func serve() {
    var buffer = unsafe fuse_buf()
    defer { unsafe free(buffer.mem) }
    var drains = 0
    while unsafe fuse_session_exited(handle) == 0 {
      let count = unsafe fuse_session_receive_buf(handle, &buffer)
      switch Int32(count) {
      case 1...: unsafe fuse_session_process_buf(handle, &buffer)
      case -EINTR: break
      case -EAGAIN:
        guard let wanted = obey(drains) else { return }
        drains = wanted
      default: return
      }
    }
  }

  /// There are orders, and nothing is queued: reports that, and lets the next read wait again unless
  /// there are more.
  ///
  /// - Parameter drains: How many drains were wanted before the queue was found empty.
  /// - Returns: How many are wanted now; `nil` to stop.
  private func obey(_ drains: Int) -> Int? {
    orders.withLock { orders in
      orders.drainsDone = drains
      if orders.stops { return nil }
      // A drain that came meanwhile needs one more look at the queue.
      if orders.drainsWanted == drains { wait(true) }
      return orders.drainsWanted
    }
  }

  /// Gives the serving thread orders, and has it look at them when nothing is queued.
  private func order<Result>(_ change: (inout Orders) -> Result) -> Result {
    let result = orders.withLock { orders in
      wait(false)
      return change(&orders)
    }
    thread.withLock { $0 }?.interrupt()
    return result
  }

  /// Says whether reads of the connection wait.
  private func wait(_ waits: Bool) {
    // Cannot fail: the session keeps the descriptor open.
    try? unsafe Descriptor(borrowing: fuse_session_fd(handle)).setNonblocking(!waits)
  }

  /// Waits until every request that the kernel has queued by now is served.
  func drain() {
    let wanted = order { orders -> Int in
      orders.drainsWanted += 1
      return orders.drainsWanted
    }
    _ = orders.wait { $0.drainsDone >= wanted || $0.hasEnded ? true : nil }
  }

  // MARK: - Notifying

  /// Tells the kernel to forget something. May wait for unanswered requests, so never on the serving
  /// thread. What the kernel does not know is no error.
  func notify(_ invalidation: Invalidation, epoch: UInt64) {
    switch invalidation {
    case .content(let inode):
      unsafe fuse_lowlevel_notify_inval_inode(
        handle, KernelNode(inode, epoch: epoch).number, 0, 0)
    case .entry(let directory, let name):
      let parent = KernelNode(directory, epoch: epoch).number
      unsafe fuse_lowlevel_notify_inval_inode(handle, parent, -1, 0)
      unsafe withName(name) { name, count in
        _ = unsafe fuse_lowlevel_notify_inval_entry(handle, parent, name, count)
      }
    case .removed(let directory, let name, let child):
      let parent = KernelNode(directory, epoch: epoch).number
      unsafe fuse_lowlevel_notify_inval_inode(handle, parent, -1, 0)
      unsafe withName(name) { name, count in
        _ = unsafe fuse_lowlevel_notify_delete(
          handle, parent, KernelNode(child, epoch: epoch).number, name, count)
      }
    }
  }

  private func withName(_ name: FileName, _ body: (UnsafePointer<CChar>?, Int) -> Void) {
    unsafe (name.bytes + [0]).withUnsafeBytes { bytes in
      unsafe body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), name.bytes.count)
    }
  }

  // MARK: - Ending

  /// Ends the serving thread, then unmounts. The session must not be used after it.
  func close() {
    order { $0.stops = true }
    thread.withLock { $0 }?.join()
    let connection = unsafe Descriptor(borrowing: fuse_session_fd(handle))
    if !Self.isDisconnected(connection) { _ = try? MountPoint.detach(mountPoint.path) }
    unsafe fuse_session_destroy(handle)
    helper?.finish()
    mountPoint.removeIfMade()
  }

  /// Whether the mount is gone already: unmounted by hand.
  private static func isDisconnected(_ connection: Descriptor) -> Bool {
    var polled = pollfd(fd: connection.number, events: 0, revents: 0)
    return unsafe poll(&polled, 1, 0) == 1 && polled.revents & Int16(POLLERR) != 0
  }
}
