import Device

/// A read that a fault refused.
///
/// The kernel reads ahead, and asks once more for the page that it wants when that fails; only the
/// second refusal reaches the caller. So the same thread's next read from there is refused, too, and
/// one fault is one failed call.
struct RefusedRead {
  let inode: InodeID
  let bytes: Range<Int>
  let error: DeviceError
}

extension MountedDevice.State {
  /// The error for a request that only repeats a refused one. Other reads of the file may be what
  /// else was read ahead; any other request of the thread shows that the kernel has gone on.
  mutating func errorAgain(for call: Call) -> DeviceError? {
    guard !refusedReads.isEmpty, let refused = refusedReads[call.caller.thread] else { return nil }
    guard case .read(refused.inode, let offset, _) = call.request else {
      refusedReads[call.caller.thread] = nil
      return nil
    }
    guard refused.bytes.contains(offset) else { return nil }
    refusedReads[call.caller.thread] = nil
    return refused.error
  }

  /// Remembers a read that a fault refused.
  mutating func noteRefused(
    _ performed: Performed, _ result: Result<Response, DeviceError>, of call: Call
  ) {
    guard !performed.fired.isEmpty, case .failure(let error) = result,
      case .read(let inode, let offset, let count) = call.request
    else { return }
    refusedReads[call.caller.thread] = RefusedRead(
      inode: inode, bytes: offset..<offset + max(1, count), error: error)
  }
}
